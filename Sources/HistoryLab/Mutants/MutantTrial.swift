import Checkers
import PropertyTesting
import Simulation
import Systems
import Traces
import Workloads

/// What the plans of one seed made of one mutant.
struct MutantTrial: Sendable {
  /// A plan that shows the mutant, before and after it was shrunk.
  struct Kill: Sendable {
    /// The checker that rejects the plan as it was found, and as it was shrunk.
    let checkers: (found: String, shrunk: String)
    /// The commands of the plan as it was found.
    let foundCommandCount: Int
    /// The shrunk plan.
    let plan: Plan
    /// How often the system was run to shrink it.
    let evaluations: Int
    /// How long shrinking took.
    let seconds: Double
  }

  /// The mutant's name.
  let mutant: String
  let seed: UInt64
  /// How many plans were run, the one that shows the mutant included.
  let caseCount: Int
  /// How long they took.
  let seconds: Double
  /// The plan that shows the mutant, if one did.
  let kill: Kill?
}

/// Makes trials, one after the other, with stores at one place.
struct MutantLane {
  let place: StorePlace
  let now: @Sendable () -> Duration
  /// After so many plans a mutant has survived.
  let caseCountMax: Int

  /// How often shrinking may run the system.
  static let shrinkEvaluations = 3_000

  /// Runs plans on a mutant until one shows it, and shrinks that one.
  ///
  /// Whatever is broken shows it: shrinking may come from one invariant to another.
  func trial(_ mutant: Mutant, seed: UInt64) throws(LabError) -> MutantTrial {
    let system = LabSystem(mutant)
    let options = PlanOptions(conditions: mutant.conditionChoice)
    let recipe = PlanRecipe(
      generator: PlanGenerator(try options.style(for: system)),
      seed: seed,
      timestamps: system.timestamps
    )
    let lane = PlanLane(system, at: place, versions: [:])
    defer { lane.close() }
    do throws(SystemFailure) {
      let start = now()
      for number in 1...caseCountMax {
        guard let found = try lane.violation(by: recipe.plan(number).plan) else { continue }
        let seconds = (now() - start) / .seconds(1)
        return MutantTrial(
          mutant: mutant.name,
          seed: seed,
          caseCount: number,
          seconds: seconds,
          kill: try shrink(found, recipe, number, lane)
        )
      }
      return MutantTrial(
        mutant: mutant.name,
        seed: seed,
        caseCount: caseCountMax,
        seconds: (now() - start) / .seconds(1),
        kill: nil
      )
    } catch {
      throw .lab("a plan could not be run on \(system.name): \(error.message)")
    }
  }

  private func shrink(
    _ violation: Violation,
    _ recipe: PlanRecipe,
    _ number: Int,
    _ lane: PlanLane
  ) throws(SystemFailure) -> MutantTrial.Kill {
    let start = now()
    let found = recipe.plan(number)
    let shrinker = Shrinker(budget: Budget(evaluations: Self.shrinkEvaluations))
    let shrunk = shrinker.shrink(found.choices, label: "killed") { source in
      let violation = try lane.violation(by: recipe.plan(from: &source))
      return violation.map { .failed(label: "killed", message: $0.because) } ?? .passed
    }
    var source = ChoiceSource(replaying: shrunk.sequence)
    let plan = recipe.plan(from: &source)
    guard let last = try lane.violation(by: plan) else {
      throw SystemFailure(.failed, "a shrunk plan broke nothing when it ran again.")
    }
    return MutantTrial.Kill(
      checkers: (violation.checker, last.checker),
      foundCommandCount: found.plan.commands.count,
      plan: plan,
      evaluations: shrunk.evaluations,
      seconds: (now() - start) / .seconds(1)
    )
  }
}

extension Mutant {
  /// The kinds of trouble that its plans contain.
  var conditionChoice: ConditionChoice {
    let named = conditions.compactMap(Condition.init)
    return named.isEmpty ? .everyday : .named(named)
  }
}
