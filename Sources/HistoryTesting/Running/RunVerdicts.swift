internal import Checkers
internal import Traces

/// All checkers over one run: the built-in ones, then those of the user.
struct RunVerdicts {
  private var suite: CheckerSuite
  private var own: [OwnCheck]

  init(_ plan: Plan, system: String, _ checkers: [any HistoryChecker.Type]) {
    suite = CheckerSuite(TraceHeader(plan: plan, system: system), scope: .all)
    own = checkers.map { OwnCheck($0, HistoryPlan(plan)) }
  }

  /// Returns the names of all checkers, in the order of their verdicts.
  static func names(_ checkers: [any HistoryChecker.Type]) -> [String] {
    CheckerSuite.names(in: .all) + checkers.map { $0.name }
  }

  mutating func observe(_ event: Event) {
    suite.observe(event)
    guard !own.isEmpty else { return }
    let seen = HistoryEvent(event)
    for index in own.indices { own[index].observe(seen) }
  }

  /// The verdicts, in the order of ``names(_:)``; read them after the last event.
  var answers: [(checker: String, verdict: Verdict)] {
    suite.verdicts + own.map { ($0.name, $0.verdict) }
  }

  /// Returns the violation of one checker, or `nil`.
  func violation(of checker: String) -> Violation? {
    for answer in answers where answer.checker == checker {
      if case .invalid(let violation) = answer.verdict { return violation }
    }
    return nil
  }

  /// Returns the violation of one checker as soon as an event has broken its invariant.
  func earlyViolation(of checker: String) -> Violation? {
    suite.isInvalid || own.contains { $0.isBroken } ? violation(of: checker) : nil
  }
}

/// A checker of the user over one run.
private struct OwnCheck {
  let name: String
  private var checker: any HistoryChecker
  private var brokenAt: Int?
  private var last = 0

  init(_ type: any HistoryChecker.Type, _ plan: HistoryPlan) {
    name = type.name
    checker = type.init(plan)
  }

  var isBroken: Bool { brokenAt != nil }

  mutating func observe(_ event: HistoryEvent) {
    guard brokenAt == nil else { return }
    checker.observe(event)
    last = event.position
    if case .broken = checker.verdict { brokenAt = last }
  }

  var verdict: Verdict {
    switch checker.verdict {
    case .holds: .valid
    case .undecided(let because): .unknown(because)
    case .broken(let because, let transaction):
      .invalid(
        Violation(
          checker: name,
          at: brokenAt ?? last,
          because: because,
          transaction: transaction
        )
      )
    }
  }
}
