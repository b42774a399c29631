import PropertyTesting
import Simulation
import Synchronization
import Systems
import Traces

/// Runs the plans of one system on several lanes, and shrinks what fails.
///
/// What it finds does not depend on the number of lanes.
struct CheckRun: Sendable {
  let system: LabSystem
  let recipe: PlanRecipe
  let versions: [String: String]
  /// Makes the place where a lane keeps its stores.
  let place: @Sendable (_ lane: Int) throws(LabError) -> StorePlace

  /// How often shrinking may run the system, for each invariant that broke.
  static let shrinkEvaluations = 2_000

  /// Runs plans 1 to a count, and counts the verdicts.
  ///
  /// Before each plan it asks whether to go on; a run that is stopped has counted what it ran.
  func tally(
    plans: Int,
    jobs: Int,
    progress: @escaping @Sendable (_ invalid: Int) -> Void,
    goesOn: @escaping @Sendable () -> Bool
  ) async throws(LabError) -> CheckTally {
    let next = NextPlan(count: plans)
    let outcomes = await withTaskGroup(of: Result<CheckTally, LabError>.self) { group in
      for lane in 0..<min(jobs, plans) {
        group.addTask {
          do throws(LabError) {
            return .success(try runLane(lane, next, progress, goesOn))
          } catch {
            return .failure(error)
          }
        }
      }
      var outcomes: [Result<CheckTally, LabError>] = []
      for await outcome in group { outcomes.append(outcome) }
      return outcomes
    }
    var total = CheckTally()
    for outcome in outcomes { total.add(try outcome.get()) }
    return total
  }

  private func runLane(
    _ number: Int,
    _ next: NextPlan,
    _ progress: (Int) -> Void,
    _ goesOn: () -> Bool
  ) throws(LabError) -> CheckTally {
    let place = try place(number)
    defer { place.removeStore() }
    let lane = PlanLane(system, at: place, versions: versions)
    var tally = CheckTally()
    while goesOn(), let plan = next.take() {
      do throws(SystemFailure) {
        let before = tally.invalidPlanCount
        tally.add(try lane.check(recipe.plan(plan).plan), plan: plan)
        progress(tally.invalidPlanCount - before)
      } catch {
        throw .lab("plan \(plan) could not be run on \(system.name): \(error.message)")
      }
    }
    tally.stepCount = lane.stepCount
    return tally
  }

  /// Makes the plan with a number as short and plain as it gets while it breaks an invariant.
  func shrink(
    _ checker: String,
    plan number: Int,
    progress: @escaping (Int) -> Void
  ) throws(LabError) -> Finding {
    let place = try place(0)
    defer { place.removeStore() }
    let lane = PlanLane(system, at: place, versions: versions)
    let found = recipe.plan(number)
    let shrinker = Shrinker(budget: Budget(evaluations: Self.shrinkEvaluations))
    let shrunk = shrinker.shrink(found.choices, label: checker) { step in
      if case .shrank(_, let evaluations) = step { progress(evaluations) }
    } _: { source in
      let violation = try lane.violation(of: checker, by: recipe.plan(from: &source))
      return violation.map { .failed(label: checker, message: $0.because) } ?? .passed
    }
    do throws(SystemFailure) {
      return try finding(checker, number, shrunk, lane)
    } catch {
      throw .lab("the shrunk plan could not be run on \(system.name): \(error.message)")
    }
  }

  private func finding(
    _ checker: String,
    _ number: Int,
    _ shrunk: ShrinkResult,
    _ lane: PlanLane
  ) throws(SystemFailure) -> Finding {
    var source = ChoiceSource(replaying: shrunk.sequence)
    let plan = recipe.plan(from: &source)
    guard let violation = try lane.violation(of: checker, by: plan) else {
      throw SystemFailure(
        .failed,
        "\(checker) broke, but not when the same plan ran again: the system is not repeatable."
      )
    }
    let trace = try lane.trace(plan)
    return Finding(
      counterexample: Counterexample(trace: trace, violation: violation),
      plan: number,
      originalCommandCount: recipe.plan(number).plan.commands.count,
      evaluations: shrunk.evaluations,
      isMinimal: shrunk.ending == .fixedPoint
    )
  }
}

/// A counterexample, and where it came from.
struct Finding: Sendable {
  let counterexample: Counterexample
  /// The number of the plan that broke the invariant first.
  let plan: Int
  let originalCommandCount: Int
  /// How often the system was run to shrink it.
  let evaluations: Int
  /// Whether nothing simpler was left to try.
  let isMinimal: Bool
}

/// Hands out the numbers of plans, each once.
private final class NextPlan: Sendable {
  private let count: Int
  private let taken = Atomic<Int>(0)

  init(count: Int) {
    self.count = count
  }

  func take() -> Int? {
    let number = taken.add(1, ordering: .relaxed).newValue
    return number <= count ? number : nil
  }
}
