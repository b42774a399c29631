package import Traces

/// A member that lost history is notified at its next fetch.
///
/// A member has lost history if a retention limit has cut the member off, or if a purge removed a
/// transaction that the member must merge and had not merged.
///
/// Verifies: no fetch of a member that lost history succeeds before the member is notified, resyncs
/// or registers again. A notification is an event or an error `expired` or `rewound`. A member that
/// was cut off does not register again before it is notified. A pass that merges, and a consumer
/// that consumes, count as fetches. Transactions fetched before the purge may still be merged and
/// recorded. A power-off may roll back the purge or the cut-off: then no notification is required.
///
/// Does not verify: whether the loss was allowed (PurgeSafety), the content of the member's view
/// before the notification.
package struct LoudExpiry: Invariant {
  package static let name = "LoudExpiry"
  package static let sentence =
    "A member that lost history gets an error at its next fetch."
  package private(set) var violation: Violation?
  private var unreported: MemberSet = []
  private var hasReported = false

  package init(_ header: TraceHeader) {}

  package mutating func observe(_ event: Event, on timeline: Timeline) {
    guard violation == nil else { return }
    switch event.kind {
    case .purged: purge(on: timeline)
    case .recovered: unreported = []
    default:
      guard let actor = timeline.actor else { return }
      follow(event, timeline.everyone[actor], on: timeline)
    }
  }

  package func verdict(on timeline: Timeline) -> Verdict {
    if let violation { return .invalid(violation) }
    return hasReported ? .valid : .unknown("No member that lost history fetched again.")
  }

  /// Adds to `state` the members that lost history and have not been notified of the loss yet.
  func describe(_ state: inout StateSketch) { state.add(members: unreported.rawValue) }

  private mutating func follow(_ event: Event, _ member: Member, on timeline: Timeline) {
    switch event.kind {
    case .lost: unreported.formUnion(member.bit)
    case .registered where member.status.isCutOff && unreported.contains(member.bit):
      violation = Self.violation(
        at: event,
        because: "\(member.id) was cut off, and registered again without an error"
      )
    case .resynced, .registered: unreported.subtract(member.bit)
    case .fetched where unreported.contains(member.bit): fetch(event, member, on: timeline)
    case .merged where unreported.contains(member.bit) && timeline.command.mayPass,
      .consumed where unreported.contains(member.bit):
      fetch(event, member, on: timeline)
    default:
      guard unreported.contains(member.bit), event.reportsMissingHistory else { return }
      hasReported = true
      unreported.subtract(member.bit)
    }
  }

  private mutating func purge(on timeline: Timeline) {
    for position in timeline.named where position >= 0 {
      let status = timeline.log.statuses[position]
      unreported.formUnion(
        status.unmerged.intersection(timeline.members)
      )
    }
  }

  /// Checks a successful fetch by a member that should have been notified that it lost history.
  ///
  /// The fetch is a violation, unless the member has merged the purged transactions in the
  /// meantime.
  private mutating func fetch(_ event: Event, _ member: Member, on timeline: Timeline) {
    let gone = timeline.log.statuses.firstIndex { status in
      status.isPurged && status.unmerged.contains(member.bit)
    }
    guard gone != nil || member.status.isCutOff else {
      unreported.subtract(member.bit)
      return
    }
    let loss =
      gone.map { "\(timeline.label($0)) was purged before \(member.id) had merged it" }
      ?? "\(member.id) was cut off by a retention limit"
    violation = Self.violation(
      at: event,
      because: "\(loss), and \(member.id) fetched again without an error",
      transaction: gone.map { timeline.log.transactions[$0].commit.name }
    )
  }
}
