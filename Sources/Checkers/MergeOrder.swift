package import Traces

/// A member merges in commit order.
///
/// Verifies: the transactions of one merge event are in commit order. When a member merges a
/// required transaction for the first time, it has not merged any later transaction since its
/// launch. Merged transactions were committed. No two transactions share a name. The order is that
/// of the commits, never of the timestamps.
///
/// Does not verify: that no transaction is left out (NoLostTransaction). Repeated merges, after a
/// crash or because of a second fetch, are allowed. So is the merge of a transaction that the member
/// need not merge.
package struct MergeOrder: Invariant {
  package static let name = "MergeOrder"
  package static let sentence =
    "A member merges in commit order."
  package private(set) var violation: Violation?
  private var hasMergedTwo = false

  package init(_ header: TraceHeader) {}

  package mutating func observe(_ event: Event, on timeline: Timeline) {
    guard violation == nil else { return }
    switch event.kind {
    case .merged(let names), .consumed(let names): merge(names, event, on: timeline)
    case .committed(let transaction):
      guard let earlier = timeline.log.position(of: transaction.name) else { return }
      let owner = timeline.writer(of: earlier)
      accuse(
        event,
        "\(event.who) wrote #\(transaction.name), a name that \(owner)'s write already has",
        transaction.name
      )
    default: break
    }
  }

  package func verdict(on timeline: Timeline) -> Verdict {
    if let violation { return .invalid(violation) }
    return hasMergedTwo ? .valid : .unknown("No member merged more than one transaction.")
  }

  private mutating func merge(_ names: [TransactionName], _ event: Event, on timeline: Timeline) {
    guard let member = timeline.actor else { return }
    let bit = timeline.everyone[member].bit
    var through = timeline.everyone[member].mergedThrough
    hasMergedTwo = hasMergedTwo || names.count > 1 || (through >= 0 && !names.isEmpty)
    var last = -1
    for (name, position) in zip(names, timeline.named) {
      guard position >= 0 else {
        guard !timeline.mayHoldUnreported else { continue }
        return accuse(event, "\(event.who) merged #\(name), which was never committed", name)
      }
      let status = timeline.log.statuses[position]
      let isFirst = !status.everMerged.contains(bit) && status.required.contains(bit)
      if position <= last || (isFirst && position < through) {
        let before = position <= last ? last : through
        return accuse(event, Self.sentence(event, position, after: before, on: timeline), name)
      }
      last = position
      through = max(through, position)
    }
  }

  private static func sentence(
    _ event: Event,
    _ position: Int,
    after: Int,
    on timeline: Timeline
  ) -> String {
    let label = timeline.label(position)
    guard position < after else { return "\(event.who) merged \(label) twice in one merge" }
    return "\(event.who) merged \(label) after \(timeline.label(after)), "
      + "which was committed later"
  }

  private mutating func accuse(_ event: Event, _ because: String, _ transaction: TransactionName) {
    violation = Self.violation(at: event, because: because, transaction: transaction)
  }
}
