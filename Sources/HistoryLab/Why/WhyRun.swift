import Checkers
import Commands
import Programs
import PropertyTesting
import Reporting
import Simulation
import Systems
import Traces
import Workloads

/// Runs variations of a counterexample's plan, such as random continuations, on one system.
///
/// A random continuation keeps the first commands of the plan and appends random commands.
/// The results do not depend on the number of workers.
struct WhyRun: Sendable {
  let system: LabSystem
  let recipe: ContinuationRecipe
  /// The invariant to explain.
  let checker: String

  /// The default number of random continuations for each number of kept commands.
  ///
  /// A continuation keeps the first commands of the plan (from none to all) and appends random
  /// commands. The default is less if ``eventBudget`` allows only fewer continuations.
  static let continuationsByDefault = 1_000
  /// The number of random continuations that run first, for each number of kept commands.
  ///
  /// Their events are counted, to determine how many continuations ``eventBudget`` allows. The
  /// curve includes these continuations.
  static let trialCount = 20
  /// The number of events that all random continuations of a plan together should not exceed.
  ///
  /// The budget is used unless `--continuations` is given. Events are counted instead of steps,
  /// because the time for a step grows with the number of its events. For example, in a plan that
  /// is driven by signals, one step may deliver a signal to every actor. A design whose store is in
  /// SQLite takes seconds for the whole budget.
  static let eventBudget = 300_000

  /// Returns how many continuations ``eventBudget`` allows per number of kept commands: 20 to 1000.
  ///
  /// A continuation keeps the first commands of the plan and appends random commands. For each
  /// number of kept commands, ``trialCount`` continuations run first; `trialEvents` is the number
  /// of their events.
  static func continuations(trialEvents: Int) -> Int {
    let count = eventBudget * trialCount / max(trialEvents, 1)
    return min(continuationsByDefault, max(trialCount, count))
  }

  init(system: LabSystem, recipe: ContinuationRecipe, checker: String) {
    self.system = system
    self.recipe = recipe
    self.checker = checker
  }

  /// Prepares to run variations of a plan.
  ///
  /// Random continuations may contain the given test conditions, such as crashes, and those
  /// conditions in the plan that the system supports.
  ///
  /// - Throws: a usage error if the system does not support a chosen condition.
  init(
    system: LabSystem,
    plan: Plan,
    checker: String,
    commands: Int = WhyOptions.commandsByDefault,
    conditions: ConditionChoice = .everyday,
    seed: UInt64? = nil
  ) throws(LabError) {
    let planOptions = PlanOptions(commands: commands, conditions: conditions)
    var style = try planOptions.style(for: system)
    style.conditions.formUnion(Condition.found(in: plan).intersection(system.conditions))
    let recipe = ContinuationRecipe(
      plan: plan,
      generator: PlanGenerator(style),
      seed: seed ?? plan.header.seed
    )
    self.init(system: system, recipe: recipe, checker: checker)
  }

  // MARK: Continuations

  /// Measures the first and last point of the plan's ``ViolationCurve`` again, with another seed.
  ///
  /// A point is the share of random continuations that break the invariant. A continuation keeps
  /// the first commands of the plan (here none or all) and appends random commands. If the plan's
  /// own commands break the invariant, the continuations that keep all of them are not run: they
  /// would break it too, and count as violations.
  func ends(continuations: Int, jobs: Int) async throws(LabError) -> [ShareInterval] {
    let other = SeededGenerator.seed(recipe.seed, part: 1 << 32)
    let ends = WhyRun(
      system: system,
      recipe: ContinuationRecipe(plan: recipe.plan, generator: recipe.generator, seed: other),
      checker: checker
    )
    let last = recipe.plan.commands.count
    let broken = try broken()
    let tally = try await ends.tally(1...continuations, at: [0, last], broken: broken, jobs: jobs) {
      _ in
    }
    return [tally.curve.points[0], tally.curve.points[last]]
  }

  /// Returns the shares of continuations that break the invariant, by the number of kept commands.
  ///
  /// A continuation keeps the first commands of the plan and appends random commands. `wanted` is
  /// the number of continuations for each number of kept commands, from none to all. If it is
  /// `nil`, ``eventBudget`` determines the number.
  func curve(
    continuations wanted: Int?,
    jobs: Int,
    progress: @escaping @Sendable (_ count: Int) -> Void
  ) async throws(LabError) -> ViolationCurve {
    let first = wanted ?? Self.trialCount
    let broken = try broken()
    var tally = try await tally(1...first, broken: broken, jobs: jobs, progress)
    let all = wanted ?? Self.continuations(trialEvents: tally.events)
    if all > first {
      let more = try await self.tally((first + 1)...all, broken: broken, jobs: jobs, progress)
      tally.curve.add(more.curve)
    }
    return tally.curve
  }

  /// Returns the number of commands in the plan's shortest prefix that breaks the invariant; `nil` if
  /// no prefix does.
  private func broken() throws(LabError) -> Int? {
    let runner = VariationRunner(system, checker)
    defer { runner.close() }
    return try runner.commandsThatBreak(recipe.plan)
  }

  /// The results of random continuations: the shares of violations, and the number of events.
  ///
  /// The continuations are those that one worker or all workers have run.
  private struct Tally {
    var curve: ViolationCurve
    var events = 0
  }

  private func tally(
    _ numbers: ClosedRange<Int>,
    at places: [Int]? = nil,
    broken: Int? = nil,
    jobs: Int,
    _ progress: @escaping @Sendable (Int) -> Void
  ) async throws(LabError) -> Tally {
    let results = await withTaskGroup(of: Result<Tally, LabError>.self) { group in
      for job in 0..<jobs {
        // A worker blocks while it waits for an external program, so each worker needs its own thread.
        group.addTask(executorPreference: ThreadPerJob()) {
          do throws(LabError) {
            let own = numbers.filter { $0 % jobs == job }
            return .success(try part(own, at: places, broken: broken, progress))
          } catch {
            return .failure(error)
          }
        }
      }
      var results: [Result<Tally, LabError>] = []
      for await result in group { results.append(result) }
      return results
    }
    var total = Tally(curve: ViolationCurve(commands: recipe.plan.commands.count))
    for result in results {
      let part = try result.get()
      total.curve.add(part.curve)
      total.events += part.events
    }
    return total
  }

  /// Runs those random continuations of the plan that one worker performs.
  private func part(
    _ numbers: [Int],
    at places: [Int]?,
    broken: Int?,
    _ progress: (Int) -> Void
  ) throws(LabError) -> Tally {
    let trials = VariationRunner(system, checker)
    defer { trials.close() }
    let count = recipe.plan.commands.count
    // Continuations that keep `broken` or more commands are known to break and are not run; progress
    // counts them together with those that keep one command fewer.
    let known = (places ?? Array(0...count)).count { $0 >= broken ?? .max }
    let curve = try ViolationCurve.measured(
      commands: count,
      at: places,
      broken: broken,
      numbers: numbers
    ) { kept, number throws(LabError) in
      defer { progress(kept + 1 == broken ? 1 + known : 1) }
      return try trials.breaks(recipe.plan(keeping: kept, number: number))
    }
    return Tally(curve: curve, events: trials.eventCount)
  }
}

/// Runs variations of a plan and checks one invariant.
final class VariationRunner {
  private let worker: PlanWorker
  private let place: StorePlace
  private let checker: String

  init(_ system: LabSystem, _ checker: String) {
    self.checker = checker
    place = .heap()
    place.patience = Self.patience
    worker = PlanWorker(system, at: place, versions: ["lab": ToolSpec.version])
  }

  /// The maximum number of one-millisecond pauses in which a request waits for another thread.
  ///
  /// The number is small, because a plan that hangs waits for all of these pauses.
  static let patience = 300

  /// The number of events observed so far.
  var eventCount: Int { worker.eventCount }

  /// Returns the number of commands in a plan's shortest prefix that breaks the invariant; `nil`
  /// if none does.
  func commandsThatBreak(_ plan: Plan) throws(LabError) -> Int? {
    do throws(SystemFailure) {
      return try worker.commandsThatBreak(checker, in: plan)
    } catch {
      throw Self.failure(error)
    }
  }

  /// Returns whether a plan breaks the invariant.
  ///
  /// - Throws: An error when the system did not complete the plan, or when the work was interrupted.
  func breaks(_ plan: Plan) throws(LabError) -> Bool {
    if Interruption.isRequested { throw .interrupted }
    do throws(SystemFailure) {
      let violation = try worker.violation(of: checker, by: plan)
      try throwRunFailure()
      return violation != nil
    } catch {
      throw Self.failure(error)
    }
  }

  /// Runs a plan to its end and returns its trace with the checkers that observed it.
  func observe(_ plan: Plan) throws(LabError) -> (trace: Trace, suite: CheckerSuite) {
    if Interruption.isRequested { throw .interrupted }
    do throws(SystemFailure) {
      let trace = try worker.trace(plan)
      try throwRunFailure()
      return (trace, CheckerSuite(checking: trace, scope: .all))
    } catch {
      throw Self.failure(error)
    }
  }

  /// Runs a trace's plan again, and returns the state before its first command and after each command.
  func states(of trace: Trace) throws(LabError) -> [ReportTable] {
    let answers: [Int: [Event]]
    do throws(SystemFailure) {
      answers = try worker.answers(trace.header.plan)
      try throwRunFailure()
    } catch {
      throw Self.failure(error)
    }
    let walk = TraceWalk(trace)
    // If a step ends in the middle of a command, the state at the end of that command is used.
    func state(after at: Int) -> ReportTable {
      let look = answers.keys.filter { $0 >= at }.min()
      return walk.state(after: at, answers: look.flatMap { answers[$0] } ?? [])
    }
    return (0...trace.header.plan.commands.count).map { number in
      let last = walk.steps.last { ($0.number ?? 0) <= number && ($0.number != nil || number == 0) }
      return last.map { state(after: $0.lastAt) } ?? walk.state(after: -1, answers: [])
    }
  }

  func close() {
    worker.close()
    place.removeStore()
  }

  private func throwRunFailure() throws(SystemFailure) {
    if let runFailure = worker.runFailure { throw SystemFailure(.crashed, runFailure.description) }
  }

  private static func failure(_ error: SystemFailure) -> LabError {
    .undecided("the system did not complete a variation of the plan: \(error.message)")
  }
}

extension Trace {
  /// The number of commands in the trace that were skipped or failed.
  var ineffectiveCount: Int {
    events.count { event in
      switch event.kind {
      case .skipped(command: .some, _), .ended(command: .some, .failed): true
      default: false
      }
    }
  }
}
