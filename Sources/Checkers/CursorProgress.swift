package import Traces

/// Within one registration a cursor never falls, and never passes an unmerged transaction.
///
/// Verifies: each recorded cursor, and the cursor of each later launch, names a committed
/// transaction and is not below the previous cursor. At or below the cursor there is no transaction
/// that the member must merge and has not merged. Merges that a crash has undone count as not
/// merged. No member gets the error that its cursor is above the newest transaction, unless a
/// power-off has rolled back part of history. A pass (fetch, merge and record) that a system reports
/// as complete has merged and recorded all history from before the pass. No command that moves a
/// cursor fails without a reason in the plan.
///
/// Does not verify: that a cursor ever reaches the newest transaction (NoLostTransaction); after a
/// power-off, the cursor of a member whose command the power-off interrupted (Durability); the
/// cursor after a resync. A system may delete a member's cursor and let the member start from
/// scratch.
package struct CursorProgress: Invariant {
  package static let name = "CursorProgress"
  package static let sentence =
    "A cursor never falls, and never passes a transaction that is not merged."
  package private(set) var violation: Violation?
  /// The words of the commands that must not fail without a reason in the plan.
  private static let words: Set<String> = [
    "launch", "suspend", "resume", "fetch", "merge", "record", "pass", "deliver", "poll", "consume",
    "resync", "retire",
  ]
  private var hasMoved = false
  private var hasGoneBack = false

  package init(_ header: TraceHeader) {}

  package mutating func observe(_ event: Event, on timeline: Timeline) {
    if case .recovered = event.kind { hasGoneBack = true }
    guard violation == nil, let member = timeline.actor else { return }
    if let failure = timeline.unexplainedFailure(event), Self.words.contains(timeline.command.word)
    {
      let because =
        "\(event.who)'s \(timeline.command.word) failed, and the plan does not explain why: \(failure)"
      violation = Self.violation(at: event, because: because)
      return
    }
    switch event.kind {
    case .rewound where !hasGoneBack:
      violation = Self.violation(
        at: event,
        because:
          "\(event.who) got the error that its cursor is above the newest transaction, although no "
          + "power-off rolled history back"
      )
    case .recorded(let cursor):
      move(member, to: cursor, event, "recorded", on: timeline)
      if let next = timeline.named.first, next > timeline.everyone[member].cursor ?? -1 {
        hasMoved = true
      }
    case .passed: pass(member, event, on: timeline)
    case .launched(let cursor) where timeline.everyone[member].status.hasCertainCursor:
      move(member, to: cursor, event, "was launched at", on: timeline)
    default: break
    }
  }

  package func verdict(on timeline: Timeline) -> Verdict {
    if let violation { return .invalid(violation) }
    return hasMoved ? .valid : .unknown("No recorded cursor was newer than the one before.")
  }

  private mutating func pass(_ index: Int, _ event: Event, on timeline: Timeline) {
    let member = timeline.everyone[index]
    guard let last = timeline.named.first, last >= 0, !timeline.mayHoldUnreported,
      !timeline.command.hasFault, member.status.alternatives.isEmpty
    else { return }
    if let owed = Self.firstOwed(by: member, through: last, on: timeline) {
      accuse(
        event,
        "\(event.who) ended a pass without merging \(timeline.label(owed)), which was in history "
          + "when it started",
        timeline.log.transactions[owed].commit.name
      )
    } else if member.cursor ?? -1 < last {
      accuse(
        event,
        "\(event.who) ended a pass without recording \(timeline.label(last)), which was in history "
          + "when it started (\(timeline.progress(of: index)))",
        timeline.log.transactions[last].commit.name
      )
    }
  }

  private mutating func move(
    _ index: Int,
    to cursor: TransactionName?,
    _ event: Event,
    _ verb: String,
    on timeline: Timeline
  ) {
    let member = timeline.everyone[index]
    // A member whose cursor is reset to none reads everything again.
    guard let cursor, let next = timeline.named.first else { return }
    guard next >= 0 else {
      guard !timeline.mayHoldUnreported else { return }
      return accuse(event, "\(event.who) \(verb) #\(cursor), which was never committed", cursor)
    }
    if let old = member.cursor, next < old {
      let labels = "#\(cursor) after \(timeline.label(old))"
      return accuse(event, "\(event.who) \(verb) \(labels): its cursor fell", cursor)
    }
    guard let passed = Self.firstOwed(by: member, through: next, on: timeline) else { return }
    let label = timeline.label(passed)
    accuse(
      event,
      "\(timeline.writer(of: passed)) wrote \(label); \(event.who) \(verb) #\(cursor) before it "
        + "had merged \(label)",
      timeline.log.transactions[passed].commit.name
    )
  }

  private static func firstOwed(
    by member: Member,
    through last: Int,
    on timeline: Timeline
  ) -> Int? {
    guard member.recordedBelow <= last else { return nil }
    return (member.recordedBelow...last).first { position in
      let status = timeline.log.statuses[position]
      return status.unmerged.contains(member.bit)
    }
  }

  private mutating func accuse(_ event: Event, _ because: String, _ transaction: TransactionName) {
    violation = Self.violation(at: event, because: because, transaction: transaction)
  }
}
