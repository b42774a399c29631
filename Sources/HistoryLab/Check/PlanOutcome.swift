import Checkers
import Systems
import Traces
import Workloads

/// The results of one plan.
struct PlanOutcome: Sendable {
  /// The verdict of one checker, without its reason.
  enum Answer: UInt8, Sendable {
    case valid
    case invalid
    case unknown
  }
  /// The plan's number, from 1.
  let plan: Int
  /// The number of commands performed, those of the closing phase included.
  let stepCount: Int
  /// The conditions that the plan contained.
  let conditions: Set<Condition>
  /// The verdicts, in the order of the checkers.
  let answers: [Answer]
  /// The planned faults, and those that occurred.
  let faults: FaultCounts
  /// The commands that the system refused.
  let refusals: RefusalCounts
  /// Whether the plan ran a second time to check for determinism.
  let isRepeated: Bool
  /// The first event in which the second run differed.
  let difference: Int?
  /// The reason why the system did not take part to the end; if set, all answers are `unknown`.
  let trouble: SystemTrouble?

  /// Creates the results from the verdicts of the checkers.
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
