import HistoryTypes
package import Traces

/// Each transaction that must be merged reaches observers once; after a failure, at least once.
///
/// A failure is a crash, a failed command, or a merge that is not recorded.
///
/// Verifies: at the end the observers of each running member have received every transaction that
/// the member must merge. No observer receives a transaction twice within one fetch, or again after
/// the member has recorded the transaction. Observers may receive transactions again after a
/// power-off, after a command of unknown outcome, or after the system has deleted the member's
/// cursor. Within one event observers receive transactions in commit order.
///
/// Does not verify: the content that an observer receives, and members without observers. A member
/// has observers if one of its hooks is an observer (``PlannedHook/observes``), or if the trace
/// reports that an observer of the member received a transaction.
package struct ObserverDelivery: Invariant {
  package static let name = "ObserverDelivery"
  package static let sentence =
    "Observers are notified of each transaction once; after a crash or failure, at least once."
  package private(set) var violation: Violation?
  private var observing: MemberSet = []
  /// For each transaction, by position, the members whose observers have received it.
  private var observed: [MemberSet] = []
  /// For each transaction, the members whose observers have received it since the member's last
  /// fetch or failure.
  private var observedJustNow: [MemberSet] = []
  /// The members whose observers may receive recorded transactions again.
  ///
  /// The cursor was deleted, or a power-off or a command of unknown outcome made it uncertain.
  private var reset: MemberSet = []

  package init(_ header: TraceHeader) {
    for (position, actor) in header.plan.header.actors.prefix(MemberSet.capacity).enumerated()
    where actor.hooks?.contains(where: { PlannedHook(rawValue: $0)?.observes ?? false }) == true {
      observing.formUnion(MemberSet(member: position))
    }
  }

  package mutating func observe(_ event: Event, on timeline: Timeline) {
    guard violation == nil else { return }
    if case .recovered = event.kind { return recover(on: timeline) }
    guard let actor = timeline.actor else { return }
    let member = timeline.everyone[actor]
    switch event.kind {
    case .observed: checkDelivery(event, member, on: timeline)
    case .recorded(nil): reset.formUnion(member.bit)
    case .registered: forget(member.bit)
    case .resynced: skip(member, through: timeline.named.first ?? -1)
    case .called(_, let word) where word == "fetch" || CurrentCommand.passing.contains(word):
      endPass(member.bit)
    case .fetched, .launched, .ended(_, .failed): endPass(member.bit)
    case .ended(_, .unknown):
      endPass(member.bit)
      reset.formUnion(member.bit)
    default: break
    }
  }

  package func verdict(on timeline: Timeline) -> Verdict {
    if let violation { return .invalid(violation) }
    guard timeline.isClosed else {
      return .unknown("The trace ends before the closing passes and reads.")
    }
    let watched = timeline.watched.intersection(observing)
    for (position, status) in timeline.log.statuses.enumerated() {
      let seen = position < observed.count ? observed[position] : []
      let owing = status.required.intersection(watched).subtracting(seen)
      guard !owing.isEmpty,
        let member = timeline.everyone.indices.first(where: { member in
          owing.contains(timeline.everyone[member].bit) && timeline.isKnown(position, to: member)
        })
      else { continue }
      return .invalid(Self.violation(position, member, on: timeline))
    }
    guard timeline.hasForeignWork(for: watched) else {
      return .unknown("No observer had to be notified of a change of another actor.")
    }
    return .valid
  }

  /// Adds to `state` the members whose observers received each transaction.
  ///
  /// Transactions that cannot affect a later verdict are left out.
  func describe(_ state: inout StateSketch, on timeline: Timeline) {
    state.add(members: observing.rawValue)
    state.add(members: reset.rawValue)
    guard !observing.isEmpty else { return }
    for (position, status) in timeline.log.statuses.enumerated() {
      let seen = position < observed.count ? observed[position] : []
      let isOver = status.required.intersection(observing).subtracting(seen).isEmpty
      if status.isComplete && isOver { continue }
      timeline.describe(position, &state)
      state.add(members: status.required.rawValue)
      state.add(members: seen.rawValue)
      state.add(members: position < observed.count ? observedJustNow[position].rawValue : 0)
    }
  }

  private static func violation(
    _ position: Int,
    _ member: Int,
    on timeline: Timeline
  ) -> Violation {
    let label = timeline.label(position)
    return Violation(
      checker: name,
      at: timeline.lastAt,
      because: "\(timeline.writer(of: position)) wrote \(label); no observer of "
        + "\(timeline.everyone[member].id) was ever notified of it",
      transaction: timeline.log.transactions[position].commit.name
    )
  }

  private mutating func checkDelivery(_ event: Event, _ member: Member, on timeline: Timeline) {
    observing.formUnion(member.bit)
    grow(to: timeline.log.count)
    var last = -1
    for position in timeline.named where position >= 0 {
      let isRecorded = timeline.log.statuses[position].recorded.contains(member.bit)
      let isAgain = observed[position].contains(member.bit) && !reset.contains(member.bit)
      if position < last || observedJustNow[position].contains(member.bit)
        || (isAgain && isRecorded)
      {
        return accuse(event, position, isFalling: position < last, on: timeline)
      }
      last = position
      observed[position].formUnion(member.bit)
      observedJustNow[position].formUnion(member.bit)
    }
  }

  private mutating func accuse(
    _ event: Event,
    _ position: Int,
    isFalling: Bool,
    on timeline: Timeline
  ) {
    let fate = isFalling ? "after one that was committed later" : "again"
    violation = Self.violation(
      at: event,
      because: "observers of \(event.who) were notified of \(timeline.label(position)) \(fate)",
      transaction: timeline.log.transactions[position].commit.name
    )
  }

  private mutating func grow(to count: Int) {
    while observed.count < count {
      observed.append([])
      observedJustNow.append([])
    }
  }

  private mutating func endPass(_ bit: MemberSet) {
    for position in observedJustNow.indices { observedJustNow[position].subtract(bit) }
  }

  private mutating func skip(_ member: Member, through last: Int) {
    guard last >= 0 else { return }
    grow(to: last + 1)
    for position in 0...last { observed[position].formUnion(member.bit) }
  }

  /// Removes the deliveries of transactions that a power-off has rolled back.
  ///
  /// The transactions that remain may be delivered again.
  private mutating func recover(on timeline: Timeline) {
    let last = timeline.named.isEmpty ? -1 : timeline.named[0] < 0 ? .max - 1 : timeline.named[0]
    observed.removeSubrange(min(observed.count, last + 1)...)
    observedJustNow = observed.map { _ in [] }
    reset = MemberSet(rawValue: .max)
  }

  private mutating func forget(_ bit: MemberSet) {
    endPass(bit)
    reset.subtract(bit)
  }
}
