import Checkers
import Commands
import Programs
import PropertyTesting
import Reporting
import Simulation
import Synchronization
import Systems
import Traces

/// Runs the plans of one system on several workers, and shrinks the plans that fail.
///
/// The results do not depend on the number of workers.
struct CheckRun: Sendable {
  let system: LabSystem
  let recipe: PlanRecipe
  let versions: [String: String]
  /// Whether to count the distinct states that a random sample of the plans reaches.
  var samplesStates = false
  /// Creates the location of a worker's stores: on the heap, or in a folder.
  let place: @Sendable (_ worker: Int) throws(LabError) -> StorePlace

  /// The maximum number of times that shrinking runs the system, for each broken invariant.
  static let shrinkEvaluations = 2_000
  /// A worker stops after this number of plans that the system did not complete.
  static let runFailureCountMax = 3

  /// Runs the plans with the numbers from 1 to `plans`, and counts the verdicts.
  ///
  /// The run ends early when its plans have a total of `steps` steps. If the run is split over
  /// machines, `shard` is the part to run.
  ///
  /// `goesOn` is called before each plan. If it returns `false`, the run stops and returns the counts of
  /// the plans that have run.
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
        // A worker blocks while it waits for an external program, so each worker needs its own thread.
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
      worker.readsStates = samplesStates && recipe.readsStates(plan)
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

  /// Shrinks a plan, given by its number, to the simplest plan found that still breaks `checker`.
  ///
  /// The result states whether the plan is minimal. `goesOn` is called before each try. If it
  /// returns `false`, the smallest plan so far is returned.
  func shrink(
    _ checker: String,
    plan number: Int,
    goesOn: () -> Bool = { true },
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
      guard goesOn() else { return .passed }
      let violation = try worker.violation(of: checker, by: recipe.plan(from: &source))
      return violation.map { .failed(label: checker, message: $0.because) } ?? .passed
    }
    do throws(SystemFailure) {
      return try finding(checker, number, shrunk, isComplete: goesOn(), worker)
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
    isComplete: Bool,
    _ worker: PlanWorker
  ) throws(SystemFailure) -> ShrunkCounterexample {
    var source = ChoiceSource(replaying: shrunk.sequence)
    let plan = recipe.plan(from: &source)
    let trace = try worker.trace(plan)
    // The checkers observe the whole trace. If they stopped at the first violation, a violation at the
    // end of the run would be reported at a wrong place.
    let suite = CheckerSuite(checking: trace, scope: .all)
    if let failure = worker.runFailure { throw SystemFailure(.crashed, failure.description) }
    guard let violation = suite.violation(of: checker) else {
      throw SystemFailure(
        .failed,
        "\(checker) broke, but not when the same plan ran again: the system is not deterministic."
      )
    }
    return ShrunkCounterexample(
      counterexample: Counterexample(trace: trace, violation: violation),
      plan: number,
      originalCommandCount: recipe.plan(number).plan.commands.count,
      evaluations: shrunk.evaluations,
      isMinimal: isComplete && shrunk.ending == .fixedPoint
    )
  }
}

/// A counterexample, with the number of the plan from which shrinking started.
struct ShrunkCounterexample: Sendable {
  let counterexample: Counterexample
  /// The number of the first plan that broke the invariant.
  let plan: Int
  let originalCommandCount: Int
  /// The number of times that shrinking ran the system.
  let evaluations: Int
  /// Whether shrinking tried all simpler plans, so that it found no further simplification.
  let isMinimal: Bool
}

/// Hands out plan numbers, each once, until the limit of plans or steps is reached.
///
/// The set of counted plans does not depend on the number of workers: with a limit of steps, the last
/// counted plan is the one at which the total number of steps reaches the limit. Later plans that
/// other workers ran at the same time are not counted.
final class PlanQueue: Sendable {
  private struct State {
    var taken = 0
    /// The step counts of finished plans after the first unfinished plan, by position.
    var waiting: [Int: Int] = [:]
    /// The position up to which all plans are finished.
    var doneThrough = 0
    var stepCount = 0
    /// The position in the queue of the last counted plan.
    var last: Int
  }
  private let steps: Int?
  private let shard: Shard?
  private let state: Mutex<State>

  /// Creates a queue of plan numbers from 1, which ends early after a total of `steps` steps.
  ///
  /// If the run is split into n shards, the queue hands out every n-th plan number, and its
  /// limit is an n-th of `steps`.
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

  /// The number of the last plan that counts for the results; 0 if the shard has no plans.
  ///
  /// At first this is the last plan of the run or, if the run is split, of the shard. When a limit
  /// of steps is reached, it becomes the plan that reached the limit.
  var last: Int { number(of: state.withLock { $0.last }) }

  /// Returns the number of the plan at a position in this queue.
  ///
  /// The queue has all plans of the run or, if the run is split over machines, those of one part
  /// (the shard). Positions start at 1. Position 0 stands for no plan, and the result is then 0.
  private func number(of place: Int) -> Int {
    guard let shard, place > 0 else { return place }
    return (place - 1) * shard.count + shard.index
  }

  /// Returns the position in this queue of the plan with the given number.
  private func place(of number: Int) -> Int {
    shard.map { (number - $0.index) / $0.count + 1 } ?? number
  }

  /// Returns the number of the next plan; `nil` if no plan is left or the step limit is reached.
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
