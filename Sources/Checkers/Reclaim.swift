import HistoryTypes
package import Traces

/// Once every member has recorded all history, a purge leaves only the newest transaction and the
/// transactions of protected authors.
///
/// Verifies: a purge command is checked if, at its start, every member that is not cut off has
/// recorded the last transaction. After such a command has succeeded, all other transactions, except
/// those of protected authors, are purged, by this command or earlier. No purge fails without a
/// reason in the plan.
///
/// Does not verify: purges that a strategy makes within a pass, and rows in a file.
package struct Reclaim: Invariant {
  package static let name = "Reclaim"
  package static let sentence =
    "Once all members recorded all history, a purge leaves at most the newest transaction."
  package private(set) var violation: Violation?
  private let authors: ProtectedAuthors
  private var isDue = false
  private var hasReclaimed = false

  package init(_ header: TraceHeader) { authors = ProtectedAuthors(header) }

  package mutating func observe(_ event: Event, on timeline: Timeline) {
    guard violation == nil else { return }
    if timeline.command.word == "purge", let failure = timeline.unexplainedFailure(event) {
      let because = "\(event.who)'s purge failed, and the plan does not explain why: \(failure)"
      violation = Self.violation(at: event, because: because)
      return
    }
    switch event.kind {
    case .called(_, "purge"): isDue = Self.isDue(on: timeline)
    // A power-off rolls purges back, so this purge is not checked.
    case .called, .recovered: isDue = false
    case .ended(_, .ok) where isDue: check(event, on: timeline)
    default: break
    }
  }

  package func verdict(on timeline: Timeline) -> Verdict {
    if let violation { return .invalid(violation) }
    return hasReclaimed
      ? .valid
      : .unknown("No purge was made after every member had recorded the newest transaction.")
  }

  private static func isDue(on timeline: Timeline) -> Bool {
    let head = timeline.log.count - 1
    guard head > 0 else { return false }
    var isKept = false
    for member in timeline.everyone {
      if member.status.alternatives.contains(.registered) { return false }
      guard member.status.isMember && !member.status.isCutOff else { continue }
      isKept = true
      guard member.cursor == head, !member.status.alternatives.contains(.behind) else {
        return false
      }
    }
    return isKept
  }

  private mutating func check(_ event: Event, on timeline: Timeline) {
    isDue = false
    let old = timeline.log.statuses.indices.dropLast()
    let left = old.first { position in
      !timeline.log.statuses[position].isPurged && !timeline.log.statuses[position].mayBePurged
        && !authors.protects(timeline.log.transactions[position].commit.author)
    }
    guard let left else {
      hasReclaimed = true
      return
    }
    violation = Self.violation(
      at: event,
      because: "\(event.who) purged when every member had recorded all history, and "
        + "\(timeline.label(left)) is still there",
      transaction: timeline.log.transactions[left].commit.name
    )
  }
}
