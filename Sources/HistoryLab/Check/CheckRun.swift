import Checkers
import Commands
import Programs
import PropertyTesting
import Reporting
import Simulation
import Synchronization
import Systems
import Traces

/// Runs the plans of one system on several workers, and shrinks those that fail.
///
/// The results do not depend on the number of workers.
struct CheckRun: Sendable {
  let system: LabSystem
  let recipe: PlanRecipe
  let versions: [String: String]
  /// Creates the place for the stores of a worker.
  let place: @Sendable (_ worker: Int) throws(LabError) -> StorePlace

  /// The maximum number of times that shrinking runs the system, for each broken invariant.
  static let shrinkEvaluations = 2_000
  /// The number of plans without full participation of the system after which a worker stops.
  static let runFailureCountMax = 3

  /// Runs plans from number 1 on, up to a number of plans or of steps, and counts the verdicts.
  ///
  /// `goesOn` is called before each plan. A run that it stops returns the counts of the plans that
  /// ran.
  func tally(
    plans: Int,
    steps: Int? = nil,
    shard: Shard? = nil,
    jobs: Int,
    progress: @escaping @Sendable (PlanOutcome) -> Void,
    goesOn: @escaping @Sendable () -> Bool
  ) async throws(LabError) -> CheckTally {
    let queue = PlanQueue(plans: plans, steps: steps, shard: shard)
    let results = await withTaskGroup(of: Result<[PlanOutcome], LabError>.self) { group in
      for worker in 0..<min(jobs, plans) {
        // A worker blocks while it waits for an external program, so each needs its own thread.
        group.addTask(executorPreference: ThreadPerJob()) {
          do throws(LabError) {
            return .success(try runWorker(worker, queue, progress, goesOn))
          } catch {
            return .failure(error)
          }
        }
      }
      var results: [Result<[PlanOutcome], LabError>] = []
      for await result in group { results.append(result) }
      return results
    }
    var total = CheckTally()
    for result in results {
      for outcome in try result.get() where outcome.plan <= queue.last { total.add(outcome) }
    }
    return total
  }

  private func runWorker(
    _ number: Int,
    _ queue: PlanQueue,
    _ progress: (PlanOutcome) -> Void,
    _ goesOn: () -> Bool
  ) throws(LabError) -> [PlanOutcome] {
    let place = try place(number)
    defer { place.removeStore() }
    let worker = PlanWorker(system, at: place, versions: versions)
    var outcomes: [PlanOutcome] = []
    var runFailureCount = 0
    while goesOn(), runFailureCount < Self.runFailureCountMax, let plan = queue.take() {
      do throws(SystemFailure) {
        let outcome = try worker.outcome(
          of: recipe.plan(plan).plan,
          number: plan,
          repeating: recipe.repeats(plan)
        )
        queue.finish(plan, steps: outcome.stepCount)
        if outcome.runFailure != nil { runFailureCount += 1 }
        outcomes.append(outcome)
        progress(outcome)
      } catch {
        throw .lab("plan \(plan) could not be run on \(system.name): \(error.message)")
      }
    }
    return outcomes
  }

  /// Shrinks the plan with a number to a minimal one that still breaks an invariant.
  func shrink(
    _ checker: String,
    plan number: Int,
    progress: @escaping (Int) -> Void
  ) throws(LabError) -> ShrunkCounterexample {
    let place = try place(0)
    defer { place.removeStore() }
    let worker = PlanWorker(system, at: place, versions: versions)
    let found = recipe.plan(number)
    var shrinker = Shrinker(budget: Budget(evaluations: Self.shrinkEvaluations))
    shrinker.isThorough = true
    let shrunk = shrinker.shrink(found.choices, label: checker) { step in
      if case .shrank(_, let evaluations) = step { progress(evaluations) }
    } _: { source in
      let violation = try worker.violation(of: checker, by: recipe.plan(from: &source))
      return violation.map { .failed(label: checker, message: $0.because) } ?? .passed
    }
    do throws(SystemFailure) {
      return try finding(checker, number, shrunk, worker)
    } catch {
      let sentence =
        "plan \(number), made shorter, could not be run on \(system.name): \(error.message)"
      throw system.isExternal ? .undecided(sentence) : .lab(sentence)
    }
  }

  private func finding(
    _ checker: String,
    _ number: Int,
    _ shrunk: ShrinkResult,
    _ worker: PlanWorker
  ) throws(SystemFailure) -> ShrunkCounterexample {
    var source = ChoiceSource(replaying: shrunk.sequence)
    let plan = recipe.plan(from: &source)
    let trace = try worker.trace(plan)
    // The whole trace is needed: stopping at the first violation could place an end-of-run
    // violation elsewhere.
    let suite = CheckerSuite(checking: trace, scope: .all)
    if let failure = worker.runFailure { throw SystemFailure(.crashed, failure.description) }
    guard let violation = suite.violation(of: checker) else {
      throw SystemFailure(
        .failed,
        "\(checker) broke, but not when the same plan ran again: the system is not repeatable."
      )
    }
    return ShrunkCounterexample(
      counterexample: Counterexample(trace: trace, violation: violation),
      plan: number,
      originalCommandCount: recipe.plan(number).plan.commands.count,
      evaluations: shrunk.evaluations,
      isMinimal: shrunk.ending == .fixedPoint
    )
  }
}

/// A counterexample and the plan that it was shrunk from.
struct ShrunkCounterexample: Sendable {
  let counterexample: Counterexample
  /// The number of the first plan that broke the invariant.
  let plan: Int
  let originalCommandCount: Int
  /// The number of times that shrinking ran the system.
  let evaluations: Int
  /// Whether shrinking ended because no simpler plan was left to try.
  let isMinimal: Bool
}

/// Hands out the numbers of plans, each once, until enough plans or steps are done.
///
/// The plans that count do not depend on the number of workers: they end with the first plan by
/// which all plans up to it have made enough steps. Later plans that other workers ran meanwhile
/// are not counted.
final class PlanQueue: Sendable {
  private struct State {
    var taken = 0
    /// The steps of finished plans that follow an unfinished one.
    var waiting: [Int: Int] = [:]
    /// The highest number up to which all plans are finished.
    var doneThrough = 0
    var stepCount = 0
    /// The position in this shard of the last plan that counts.
    var last: Int
  }
  private let steps: Int?
  private let shard: Shard?
  private let state: Mutex<State>

  /// Creates a queue of plans from number 1 on, which ends early once enough steps are made.
  ///
  /// With a shard, it hands out every n-th plan and ends at its share of the steps.
  init(plans: Int, steps: Int?, shard: Shard? = nil) {
    self.shard = shard
    guard let shard else {
      self.steps = steps
      state = Mutex(State(last: plans))
      return
    }
    self.steps = steps.map { ($0 - 1) / shard.count + 1 }
    state = Mutex(State(last: plans < shard.index ? 0 : (plans - shard.index) / shard.count + 1))
  }

  /// The number of the last plan that counts.
  var last: Int { number(of: state.withLock { $0.last }) }

  /// Returns the number of the plan at a position in this shard, from 1; 0 for none.
  private func number(of place: Int) -> Int {
    guard let shard, place > 0 else { return place }
    return (place - 1) * shard.count + shard.index
  }

  /// Returns the position in this shard of the plan with a number.
  private func place(of number: Int) -> Int {
    shard.map { (number - $0.index) / $0.count + 1 } ?? number
  }

  /// Returns the number of the next plan, or `nil` when enough were handed out.
  func take() -> Int? {
    state.withLock { state in
      guard state.taken < state.last else { return nil }
      state.taken += 1
      return number(of: state.taken)
    }
  }

  /// Records that a plan is finished, with its number of steps.
  func finish(_ plan: Int, steps count: Int) {
    guard let steps else { return }
    let plan = place(of: plan)
    state.withLock { state in
      state.waiting[plan] = count
      while let next = state.waiting.removeValue(forKey: state.doneThrough + 1),
        state.stepCount < steps
      {
        state.doneThrough += 1
        state.stepCount += next
      }
      if state.stepCount >= steps { state.last = min(state.last, state.doneThrough) }
    }
  }
}
