/// The expected and actual result of one part of the measurement self-test.
package struct SelfTestOutcome: Sendable, Hashable, Codable {
  /// The part of the self-test.
  package var part: String
  /// The expected result.
  package var goal: String
  /// The actual result.
  package var found: String
  /// Whether the actual result is as expected.
  package var isReached: Bool
  /// Whether real work was timed or counted; otherwise the measurements were simulated.
  package var isMeasured: Bool

  /// Creates an outcome.
  package init(
    _ part: String,
    goal: String,
    found: String,
    isReached: Bool,
    isMeasured: Bool
  ) {
    self.part = part
    self.goal = goal
    self.found = found
    self.isReached = isReached
    self.isMeasured = isMeasured
  }
}

extension SelfTestOutcome {
  /// The least shares of measurements that must be decided, and of changes that must be found.
  private static let (leastDecided, leastFound) = (0.9, 0.95)
  /// The greatest number of false alarms on three hundred rows without a change.
  private static let mostAlarms = 1

  /// Returns the outcome of a judge of cost models on one known curve.
  package static func law(_ trial: ComplexityTrial) -> SelfTestOutcome {
    SelfTestOutcome(
      "the law \(trial.curve)",
      goal: "0 wrong, at least 90 % decided",
      found: "\(trial.wrong) wrong, \(percent(trial.decidedShare)) decided",
      isReached: trial.wrong == 0 && trial.overlooked == 0
        && trial.decidedShare >= leastDecided,
      isMeasured: false
    )
  }

  /// Returns the outcome of a gate on rows without a change.
  package static func alarms(
    _ part: String,
    _ trial: GateTrial,
    isMeasured: Bool
  ) -> SelfTestOutcome {
    SelfTestOutcome(
      part,
      goal: "at most \(mostAlarms) alarm, at least 90 % decided",
      found: "\(trial.alarms) of \(trial.rows)" + looks(trial),
      isReached: trial.alarms <= mostAlarms && trial.decidedShare >= leastDecided,
      isMeasured: isMeasured
    )
  }

  /// Returns the outcome of a gate on rows with a change.
  package static func found(
    _ part: String,
    _ trial: GateTrial,
    isMeasured: Bool
  ) -> SelfTestOutcome {
    SelfTestOutcome(
      part,
      goal: "found in at least 95 %",
      found: "\(trial.dearer) of \(trial.rows)" + looks(trial),
      isReached: trial.foundShare >= leastFound,
      isMeasured: isMeasured
    )
  }

  private static func looks(_ trial: GateTrial) -> String {
    let again = ", \(trial.suspects) measured again"
    return again + (trial.undecided == 0 ? "" : ", \(trial.undecided) undecided")
  }

  private static func percent(_ share: Double) -> String {
    "\(Int((share * 100).rounded(.down))) %"
  }
}
