/// What one part of the measuring's own test was to show, and what it showed.
package struct SelfTestOutcome: Sendable, Hashable, Codable {
  /// What was tried.
  package var part: String
  /// What should come of it.
  package var goal: String
  /// What came of it.
  package var found: String
  /// Whether that is what should.
  package var isReached: Bool
  /// Whether real work was timed or counted; else the measurements were simulated.
  package var isMeasured: Bool

  /// Makes an outcome.
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
  /// The least share of measurements that must come to an answer, and the least share of changes that
  /// must be found.
  private static let (leastDecided, leastFound) = (0.9, 0.95)
  /// The most alarms that may come of rows without a change, of three hundred.
  private static let mostAlarms = 1

  /// What a judge of laws did on one known curve.
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

  /// What a gate did on rows without a change.
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

  /// What a gate did on rows with a change.
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
