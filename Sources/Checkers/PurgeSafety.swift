package import Traces

/// No transaction is purged before every member that must merge it has merged and recorded it.
///
/// Verifies: at each purge, for each transaction that leaves history, that no member for whom it is
/// required (registered before it, not retired, not lost) still owes it. What was merged counts
/// once a record at or above it is told, or at once if the cursor on disk is already there; what a
/// crash took back does not count. A member is lost or finds its history expired only under a plan
/// with retention; where that limits transactions alone, it is lost only when it is so many behind.
///
/// Does not verify: that a limit on age or bytes was really exceeded; that purged rows are gone from
/// the store, or that anything is ever purged (Reclaim); purges of transactions that no event told,
/// and those for members whose registration or cursor a power-off has made uncertain, until their next
/// launch.
/// A record of unknown outcome counts as done.
package struct PurgeSafety: Invariant {
  package static let name = "PurgeSafety"
  package static let sentence =
    "Nothing is purged before every member that must merge it has merged and recorded it."
  package private(set) var violation: Violation?
  private let retention: PlannedRetention?
  private var hasRetention: Bool { retention != nil }
  private var purgedCount = 0

  package init(_ header: TraceHeader) {
    retention = header.plan.header.retention
  }

  package mutating func observe(_ event: Event, on timeline: Timeline) {
    guard violation == nil else { return }
    switch event.happening {
    case .purged: purge(event, on: timeline)
    case .lost where !hasRetention:
      accuse(event, "was cut off, though the plan has no retention limit")
    case .lost: checkLimit(event, on: timeline)
    case .expired where !hasRetention, .ended(_, .failed) where !hasRetention && event.isExpiry:
      accuse(
        event,
        "was told that its history expired, though the plan has no retention limit"
      )
    default: break
    }
  }

  package func verdict(on timeline: Timeline) -> Verdict {
    if let violation { return .invalid(violation) }
    return purgedCount > 0 ? .valid : .unknown("Nothing was purged.")
  }

  private mutating func purge(_ event: Event, on timeline: Timeline) {
    let keeping = timeline.kept
    for position in timeline.named where position >= 0 {
      purgedCount += 1
      let standing = timeline.standings[position]
      let owing = standing.required.subtracting(standing.recorded).intersection(keeping)
      guard let member = owing.first else { continue }
      violation = Violation(
        checker: Self.name,
        at: event.at,
        because: Self.sentence(event, position, member, on: timeline),
        transaction: timeline.transactions[position].told.name
      )
      return
    }
  }

  private static func sentence(
    _ event: Event,
    _ position: Int,
    _ member: Int,
    on timeline: Timeline
  ) -> String {
    let standing = timeline.standings[position]
    let bit = timeline.everyone[member].bit
    let id = timeline.everyone[member].id
    let purger = event.who
    let label = timeline.label(position)
    let owed =
      if standing.merged.contains(bit) {
        "before \(id) had recorded that it merged it"
      } else if standing.everMerged.contains(bit) {
        "before \(id) had merged it again after its crash"
      } else {
        "before \(id) had merged it"
      }
    return "\(timeline.writer(of: position)) wrote \(label); \(purger) purged \(label) \(owed) "
      + "(\(timeline.progress(of: member)))"
  }

  /// A limit on transactions alone cuts off who is more of them behind.
  private mutating func checkLimit(_ event: Event, on timeline: Timeline) {
    guard let retention, let limit = retention.transactions, retention.age == nil,
      retention.bytes == nil, !timeline.mayHoldUntold, let member = timeline.actor
    else { return }
    let behind = timeline.standings.count - 1 - (timeline.everyone[member].cursor ?? -1)
    guard behind <= limit else { return }
    accuse(event, "was cut off \(behind) transactions behind, where the limit is \(limit)")
  }

  private mutating func accuse(_ event: Event, _ fate: String) {
    violation = Violation(
      checker: Self.name,
      at: event.at,
      because: "\(event.who) \(fate)"
    )
  }
}
