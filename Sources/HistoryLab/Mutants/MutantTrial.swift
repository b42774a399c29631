import Checkers
import PropertyTesting
import Simulation
import Systems
import Traces
import Workloads

/// The result of running the plans of one seed on one mutant.
struct MutantTrial: Sendable {
  /// A plan that kills the mutant, before and after shrinking.
  struct Kill: Sendable {
    /// The checkers that reject the plan as found and as shrunk.
    let checkers: (found: String, shrunk: String)
    /// The number of commands of the plan as found.
    let foundCommandCount: Int
    let plan: Plan
    /// The number of runs of the system during shrinking.
    let evaluations: Int
    /// The duration of shrinking.
    let seconds: Double

    /// The number of commands of the shrunk plan.
    var commandCount: Int { plan.commands.count }
  }

  let mutant: String
  let seed: UInt64
  /// The number of plans run, including the first one that kills the mutant.
  let caseCount: Int
  /// The duration of those plans.
  let seconds: Double
  /// The first plans that kill the mutant, each shrunk.
  let kills: [Kill]

  /// The shortest of the shrunk plans.
  var shortest: Kill? { kills.min { $0.commandCount < $1.commandCount } }
}

/// A worker that runs trials one after the other, with all stores in one place.
struct MutantLane {
  let place: StorePlace
  let system: LabSystem
  let now: @Sendable () -> Duration
  /// The number of plans after which a mutant counts as a survivor.
  let caseCountMax: Int

  /// The maximum number of runs of the system per shrink.
  static let shrinkEvaluations = 3_000
  /// The maximum number of killing plans to shrink.
  ///
  /// Several are shrunk because a mutant can fail in different ways, and shrinking does not turn a
  /// plan for one way into a plan for another.
  static let killCount = 6
  /// The number of plans to run after the first killing plan in search of further ones.
  static let furtherCaseCountMax = 400

  /// Runs plans until one kills the mutant, searches for further kills, and shrinks all of them.
  ///
  /// Any violation counts as a kill: shrinking may end at a different invariant than it started
  /// from.
  func trial(_ mutant: Mutant, seed: UInt64) throws(LabError) -> MutantTrial {
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
      let first = try next(from: 1, count: caseCountMax, recipe, lane)
      let seconds = (now() - start) / .seconds(1)
      return MutantTrial(
        mutant: mutant.name,
        seed: seed,
        caseCount: first?.number ?? caseCountMax,
        seconds: seconds,
        kills: try first.map { (first) throws(SystemFailure) in
          try kills(from: first, recipe, lane)
        } ?? []
      )
    } catch {
      throw .lab("a plan could not be run on \(system.name): \(error.message)")
    }
  }

  /// The number of a plan that kills the mutant, and the violation.
  private typealias Found = (number: Int, violation: Violation)

  /// Returns the first of `count` plans, from number `first`, that kills the mutant.
  private func next(
    from first: Int,
    count: Int,
    _ recipe: PlanRecipe,
    _ lane: PlanLane
  ) throws(SystemFailure) -> Found? {
    for number in first..<first + count {
      if let found = try lane.violation(by: recipe.plan(number).plan) { return (number, found) }
    }
    return nil
  }

  private func kills(
    from first: Found,
    _ recipe: PlanRecipe,
    _ lane: PlanLane
  ) throws(SystemFailure) -> [MutantTrial.Kill] {
    let last = first.number + Self.furtherCaseCountMax
    var kills: [MutantTrial.Kill] = []
    var found: Found? = first
    while let (number, violation) = found {
      kills.append(try shrink(violation, recipe, number, lane))
      guard kills.count < Self.killCount else { break }
      found = try next(from: number + 1, count: last - number, recipe, lane)
    }
    return kills
  }

  private func shrink(
    _ violation: Violation,
    _ recipe: PlanRecipe,
    _ number: Int,
    _ lane: PlanLane
  ) throws(SystemFailure) -> MutantTrial.Kill {
    let start = now()
    let found = recipe.plan(number)
    var shrinker = Shrinker(budget: Budget(evaluations: Self.shrinkEvaluations))
    shrinker.isThorough = true
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
  /// The conditions of the mutant's plans: its own, or the everyday ones if it has none.
  var conditionChoice: ConditionChoice {
    let named = conditions.compactMap(Condition.init)
    return named.isEmpty ? .everyday : .named(named)
  }
}
