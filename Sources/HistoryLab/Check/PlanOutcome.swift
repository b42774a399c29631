import Checkers
import Systems
import Traces
import Workloads

/// What became of one plan.
struct PlanOutcome: Sendable {
  /// What one checker said.
  enum Answer: UInt8, Sendable {
    case valid
    case invalid
    case unknown
  }
  /// The plan's number; the first is 1.
  let plan: Int
  /// How many commands were performed, closing phase included.
  let stepCount: Int
  /// The kinds of trouble that it contained.
  let conditions: Set<Condition>
  /// The answers, in the order of the checkers.
  let answers: [Answer]
  /// What went wrong by plan.
  let faults: FaultCounts
  /// What was refused.
  let refusals: RefusalCounts
  /// Whether it ran a second time to see if the same comes of it.
  let isRepeated: Bool
  /// The first event in which the second run differed.
  let difference: Int?
  /// Why the system did not take part to the end, if it did not: then no checker has an answer.
  let trouble: SystemTrouble?

  /// Takes the answers of the checkers.
  init(
    plan: Int,
    stepCount: Int,
    conditions: Set<Condition>,
    faults: FaultCounts = FaultCounts(),
    refusals: RefusalCounts = RefusalCounts(),
    isRepeated: Bool = false,
    difference: Int? = nil,
    trouble: SystemTrouble? = nil,
    _ suite: CheckerSuite
  ) {
    self.isRepeated = isRepeated
    self.difference = difference
    self.plan = plan
    self.faults = faults
    self.refusals = refusals
    self.stepCount = stepCount
    self.conditions = conditions
    self.trouble = trouble
    answers = suite.verdicts.map { answer in
      if trouble != nil { return .unknown }
      return switch answer.verdict {
      case .valid: .valid
      case .invalid: .invalid
      case .unknown: .unknown
      }
    }
  }

  /// Whether any invariant broke.
  var isBroken: Bool { answers.contains(.invalid) }
}
