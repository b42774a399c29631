internal import HistoryTypes
package import Traces

/// No transaction is purged before all members that must merge it have recorded its merge.
///
/// Verifies: when a purge removes a transaction from history, every member that must merge the
/// transaction has recorded the merge. Such a member registered before the transaction, has not
/// retired, and was not cut off: a retention limit has not ended its claim to history. A merge
/// counts as recorded once the member has recorded a cursor at or above the transaction. Merges that
/// a crash has undone do not count. A member is cut off, or finds its history expired, only under a
/// plan with retention. If that plan has no limit on bytes, the member must be further behind than a
/// limit on transactions or on time allows. The time is the sum of the intervals between
/// transactions, leaving out intervals of over a day.
///
/// Does not verify: that a limit on bytes was really exceeded; that purged rows are gone from the
/// store, or that anything is ever purged (the invariant Reclaim checks some purges); purges of
/// transactions that no event reported. If a power-off has made a member's registration or cursor
/// uncertain, purges of transactions that this member needs are not checked until its next launch. If
/// the outcome of a command that records a cursor is unknown, the cursor counts as recorded. In a
/// system that has only whole passes (fetch, merge and record in one command), the passes after the
/// plan's last command may purge; these purges are ignored.
package struct PurgeSafety: Invariant {
  package static let name = "PurgeSafety"
  package static let sentence =
    "No transaction is purged before all members that must merge it have recorded its merge."
  package private(set) var violation: Violation?
  private let retention: PlannedRetention?
  private var hasRetention: Bool { retention != nil }
  private var purgedCount = 0

  package init(_ header: TraceHeader) {
    retention = header.plan.header.retention
  }

  package mutating func observe(_ event: Event, on timeline: Timeline) {
    guard violation == nil else { return }
    switch event.kind {
    case .purged where !timeline.command.isClosingPass: purge(event, on: timeline)
    case .lost where !hasRetention:
      accuse(event, "was cut off, though the plan has no retention limit")
    case .lost: checkLimit(event, on: timeline)
    case .expired where !hasRetention, .ended(_, .failed) where !hasRetention && event.isExpiry:
      expire(event, on: timeline)
    default: break
    }
  }

  package func verdict(on timeline: Timeline) -> Verdict {
    if let violation { return .invalid(violation) }
    return purgedCount > 0 ? .valid : .unknown("No transaction was purged.")
  }

  private mutating func purge(_ event: Event, on timeline: Timeline) {
    let keeping = timeline.kept
    for position in timeline.named where position >= 0 {
      purgedCount += 1
      let status = timeline.log.statuses[position]
      let owing = status.unrecorded.intersection(keeping)
      guard let member = owing.first else { continue }
      violation = Self.violation(
        at: event,
        because: Self.sentence(event, position, member, on: timeline),
        transaction: timeline.log.transactions[position].commit.name
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
    let status = timeline.log.statuses[position]
    let bit = timeline.everyone[member].bit
    let id = timeline.everyone[member].id
    let through = timeline.actor.map { timeline.everyone[$0].mergedThrough } ?? -1
    // The message names the progress of the purging member, which explains why the purge seemed allowed.
    let merged =
      through >= position && timeline.actor != member
      ? "merged through \(timeline.label(through)) and " : ""
    let purger = event.who + " " + merged
    let label = timeline.label(position)
    let owed =
      if status.merged.contains(bit) {
        "before \(id) had recorded its merge"
      } else if status.everMerged.contains(bit) {
        "before \(id) had merged it again after its crash"
      } else {
        "before \(id) had merged it"
      }
    return "\(timeline.writer(of: position)) wrote \(label); \(purger)purged \(label) \(owed) "
      + "(\(timeline.progress(of: member)))"
  }

  /// Checks that a member which was cut off had lagged beyond a retention limit.
  private mutating func checkLimit(_ event: Event, on timeline: Timeline) {
    guard let retention, retention.bytes == nil, !timeline.mayHoldUnreported,
      let member = timeline.actor
    else { return }
    let cursor = timeline.everyone[member].cursor ?? -1
    let behind = timeline.log.count - 1 - cursor
    if let limit = retention.transactions, behind > limit { return }
    let seconds = Self.activeTime(timeline.log.transactions.dropFirst(cursor + 1))
    if let limit = retention.age, seconds > limit { return }
    let limits = [
      retention.transactions.map {
        "\(behind.counted("transaction")) behind, where the limit is \($0)"
      },
      retention.age.map { "\(seconds) seconds behind, where the limit is \($0)" },
    ]
    accuse(event, "was cut off " + limits.compactMap(\.self).joined(separator: " and "))
  }

  /// Returns the sum of the seconds between consecutive transactions, without intervals of over a day.
  private static func activeTime(_ some: ArraySlice<TimelineTransaction>) -> Double {
    zip(some, some.dropFirst()).reduce(0) { sum, pair in
      let gap = pair.1.commit.timestamp - pair.0.commit.timestamp
      return gap > 0 && gap <= dayInSeconds ? sum + gap : sum
    }
  }

  private static let dayInSeconds = 86_400.0

  /// Reports a violation: a member's history expired, although the plan has no retention limit.
  private mutating func expire(_ event: Event, on timeline: Timeline) {
    let cursor = timeline.actor.flatMap { timeline.everyone[$0].cursor } ?? -1
    let gone = timeline.log.statuses.indices.first { position in
      position > cursor && timeline.log.statuses[position].isPurged
    }
    let loss = gone.map { "\(timeline.label($0)) was purged and " } ?? ""
    accuse(
      event,
      "got the error that its history expired, though the plan has no retention limit",
      loss: loss,
      transaction: gone.map { timeline.log.transactions[$0].commit.name }
    )
  }

  private mutating func accuse(
    _ event: Event,
    _ fate: String,
    loss: String = "",
    transaction: TransactionName? = nil
  ) {
    violation = Self.violation(
      at: event,
      because: "\(loss)\(event.who) \(fate)",
      transaction: transaction
    )
  }
}
