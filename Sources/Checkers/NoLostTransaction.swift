package import Traces

/// At the end every running member has merged every transaction that it must merge.
///
/// Verifies: after the closing passes, each running member has merged every transaction that it
/// must merge, unless it was notified that it misses history. A merge that a crash undid before it
/// was recorded must be repeated. A transaction for which a merge hook replaced the default merge
/// counts as merged by that member, and a resync counts as merging everything up to its cursor. A
/// consumer must have read the transactions that were committed before it last read history.
///
/// Does not verify: the effect of merges on contexts (Convergence); the order of merges (MergeOrder);
/// members that are stopped or cut off at the end; transactions whose commit no event reported.
package struct NoLostTransaction: Invariant {
  package static let name = "NoLostTransaction"
  package static let sentence =
    "At the end every running member has merged every transaction that it must merge."
  /// Always `nil`: a violation can be found only at the end of the trace, by `verdict(on:)`.
  package let violation: Violation? = nil

  package init(_ header: TraceHeader) {}

  package mutating func observe(_ event: Event, on timeline: Timeline) {}

  package func verdict(on timeline: Timeline) -> Verdict {
    guard timeline.isClosed else {
      return .unknown("The trace ends before the closing passes and reads.")
    }
    let watched = timeline.watched
    for (position, status) in timeline.log.statuses.enumerated() {
      let owing = status.unmerged.intersection(watched)
      if let member = Self.first(of: owing, at: position, on: timeline) {
        return .invalid(Self.violation(position, member, on: timeline))
      }
    }
    guard timeline.hasForeignWork(for: watched) else {
      return .unknown("No running member had to merge a change of another member.")
    }
    return .valid
  }

  /// Returns the first of the members that must still merge a transaction; `nil` if there is none.
  ///
  /// A consumer that has not read history since the transaction's commit is not counted.
  private static func first(of owing: MemberSet, at position: Int, on timeline: Timeline) -> Int? {
    var rest = owing
    while let member = rest.first {
      let isDue = position < timeline.everyone[member].consumedFrom
      if isDue || !timeline.everyone[member].status.isConsumer { return member }
      rest.subtract(timeline.everyone[member].bit)
    }
    return nil
  }

  private static func violation(
    _ position: Int,
    _ member: Int,
    on timeline: Timeline
  ) -> Violation {
    let label = timeline.label(position)
    let everyone = timeline.everyone[member]
    let isTakenBack = timeline.log.statuses[position].everMerged.contains(everyone.bit)
    let fate =
      isTakenBack
      ? "lost \(label) in a crash and never merged it again" : "never merged \(label)"
    return Violation(
      checker: name,
      at: timeline.lastAt,
      because: "\(timeline.writer(of: position)) wrote \(label); \(everyone.id) \(fate) "
        + "(\(timeline.progress(of: member)))",
      transaction: timeline.log.transactions[position].commit.name
    )
  }
}
