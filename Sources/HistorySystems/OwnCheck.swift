package import Traces

/// A custom checker during one run.
package struct OwnCheck {
  package let name: String
  private var checker: any HistoryChecker
  private var brokenAt: Int?
  private var last = 0

  package init(_ type: any HistoryChecker.Type, _ plan: HistoryPlan) {
    name = type.name
    checker = type.init(plan)
  }

  package var isBroken: Bool { brokenAt != nil }

  package mutating func observe(_ event: HistoryEvent) {
    guard brokenAt == nil else { return }
    checker.observe(event)
    last = event.position
    if case .broken = checker.verdict { brokenAt = last }
  }

  package var verdict: Verdict {
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
