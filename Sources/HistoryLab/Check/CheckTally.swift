import Checkers
import Systems
import Traces
import Workloads

/// The verdicts of one system's plans, counted for each invariant.
struct CheckTally: Sendable {
  /// The verdicts of one checker.
  struct Count: Sendable, Hashable {
    var valid = 0
    var invalid = 0
    var unknown = 0
    /// The lowest number of a plan that broke the invariant.
    var firstInvalid: Int?
  }
  private(set) var counts: [String: Count] = [:]
  /// The number of plans that contained each condition.
  private(set) var conditions: [Condition: Int] = [:]
  /// The planned faults, and those that occurred.
  private(set) var faults = FaultCounts()
  /// The commands that the system refused.
  private(set) var refusals = RefusalCounts()
  private(set) var planCount = 0
  private(set) var invalidPlanCount = 0
  private(set) var stepCount = 0
  /// The number of plans that ran twice.
  private(set) var repeatedPlanCount = 0
  /// The first plan whose second run differed, and the first event that did.
  private(set) var difference: (plan: Int, event: Int)?
  /// The number of plans in which the system did not take part to the end.
  private(set) var troubleCount = 0
  /// The first of these plans, and the reason.
  private(set) var trouble: (plan: Int, because: SystemTrouble)?
  private let names = CheckerSuite.names(in: .all)

  init() {
    for name in names { counts[name] = Count() }
  }

  /// Adds up the counts of several parts of one run, read from their reports.
  init(joining parts: [CheckDocument.System]) {
    self.init()
    for part in parts {
      planCount += part.plans
      invalidPlanCount += part.invalidPlans
      repeatedPlanCount += part.repeatedPlans ?? 0
      stepCount += part.steps
      faults.add(FaultCounts(part))
      refusals.add(RefusalCounts(part.refusals ?? []))
      for (name, count) in part.conditions ?? [:] {
        if let condition = Condition(rawValue: name) { conditions[condition, default: 0] += count }
      }
      if let plan = part.nondeterministicPlan, plan < difference?.plan ?? .max {
        difference = (plan, 0)
      }
      for row in part.invariants { add(row, of: part) }
    }
  }

  private mutating func add(_ row: CheckDocument.Invariant, of part: CheckDocument.System) {
    counts[row.invariant, default: Count()].valid += row.valid
    counts[row.invariant, default: Count()].invalid += row.invalid
    counts[row.invariant, default: Count()].unknown += row.unknown
    guard row.invalid > 0 else { return }
    let found = part.counterexamples.first { $0.checker == row.invariant }?.foundInPlan ?? .max
    let first = counts[row.invariant]?.firstInvalid ?? .max
    counts[row.invariant]?.firstInvalid = min(first, found)
  }

  /// Adds the results of one plan.
  mutating func add(_ outcome: PlanOutcome) {
    planCount += 1
    stepCount += outcome.stepCount
    if outcome.isBroken { invalidPlanCount += 1 }
    faults.add(outcome.faults)
    refusals.add(outcome.refusals)
    if outcome.isRepeated { repeatedPlanCount += 1 }
    if let event = outcome.difference, outcome.plan < difference?.plan ?? .max {
      difference = (outcome.plan, event)
    }
    if let trouble = outcome.trouble {
      troubleCount += 1
      if outcome.plan < self.trouble?.plan ?? .max { self.trouble = (outcome.plan, trouble) }
    }
    for condition in outcome.conditions { conditions[condition, default: 0] += 1 }
    for (name, answer) in zip(names, outcome.answers) {
      switch answer {
      case .valid: counts[name, default: Count()].valid += 1
      case .unknown: counts[name, default: Count()].unknown += 1
      case .invalid:
        counts[name, default: Count()].invalid += 1
        let first = counts[name]?.firstInvalid ?? outcome.plan
        counts[name]?.firstInvalid = min(first, outcome.plan)
      }
    }
  }

  /// The broken invariants in the order of the checkers, each with the first plan that broke it.
  var broken: [(checker: String, plan: Int)] {
    CheckerSuite.names(in: .all).compactMap { name in
      counts[name]?.firstInvalid.map { (name, $0) }
    }
  }

  /// The core invariants that no plan exercised, which make the check inconclusive.
  var undecided: [String] {
    let core = CheckerSuite.names(in: .core)
    return notExercised.filter(core.contains)
  }

  /// The invariants that no plan exercised.
  var notExercised: [String] {
    CheckerSuite.names(in: .all).filter { name in
      counts[name].map { $0.valid == 0 && $0.invalid == 0 } ?? true
    }
  }
}
