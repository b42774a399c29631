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

    /// The commands of the shrunk plan.
    var commandCount: Int { plan.commands.count }
  }

  /// The mutant's name.
  let mutant: String
  let seed: UInt64
  /// How many plans were run, the one that shows the mutant included.
  let caseCount: Int
  /// How long they took.
  let seconds: Double
  /// The first plans that show the mutant, each shrunk.
  let kills: [Kill]

  /// The shortest of the shrunk plans.
  var shortest: Kill? { kills.min { $0.commandCount < $1.commandCount } }
}

/// Makes trials, one after the other, with stores at one place.
struct MutantLane {
  let place: StorePlace
  let system: LabSystem
  let now: @Sendable () -> Duration
  /// After so many plans a mutant has survived.
  let caseCountMax: Int

  /// How often shrinking may run the system.
  static let shrinkEvaluations = 3_000
  /// How many plans that show a mutant are shrunk: what shows it in one way, shrinking does not turn
  /// into what shows it in another.
  static let killCount = 6
  /// How many plans are run to find the others once one was found.
  static let furtherCaseCountMax = 400

  /// Runs plans on a mutant until one shows it, and some more, and shrinks those that do.
  ///
  /// Whatever is broken shows it: shrinking may come from one invariant to another.
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

  /// A plan that shows a mutant, by its number, and why.
  private typealias Found = (number: Int, violation: Violation)

  /// The first of some plans that shows the mutant.
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
  /// The kinds of trouble that its plans contain.
  var conditionChoice: ConditionChoice {
    let named = conditions.compactMap(Condition.init)
    return named.isEmpty ? .everyday : .named(named)
  }
}
