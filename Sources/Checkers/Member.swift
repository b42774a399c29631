import HistoryTypes
package import Traces

/// The state of one actor or consumer in a trace so far; positions are in commit order.
package struct Member: Sendable {
  /// The name in the plan.
  package let id: ActorID
  /// The set of this member alone.
  package let bit: MemberSet
  /// Its registration, process and access to history, certain or not.
  package internal(set) var status = MemberStatus()
  /// Whether it merges into several contexts, each of which must get the others' saves.
  package internal(set) var hasSeveralContexts = false
  /// The number of transactions when it registered: it must merge those after them.
  package internal(set) var registeredFrom = 0
  /// The number of transactions when it last registered, or resynced after it missed history.
  package internal(set) var joinedAt = 0
  /// The number of transactions when a limit last cut it off; `nil` if none did.
  package internal(set) var cutOffAt: Int?
  /// The number of transactions when it last retired; `nil` if it never did.
  package internal(set) var leftAt: Int?
  /// The position of its recorded cursor; `nil` if it has none.
  package internal(set) var cursor: Int?
  /// The greatest position merged since it was launched; -1 if none.
  package internal(set) var mergedThrough = -1
  /// The position below which it has merged and recorded everything that it must.
  package internal(set) var recordedBelow = 0
  /// The number of transactions when it last consumed.
  package internal(set) var consumedFrom = 0

  init(_ id: ActorID, position: Int) {
    self.id = id
    bit = MemberSet(member: position)
  }

  /// Limits positions to the transactions that a power-off left.
  mutating func clampPositions(to count: Int) {
    registeredFrom = min(registeredFrom, count)
    recordedBelow = min(recordedBelow, count)
    consumedFrom = min(consumedFrom, count)
  }

  /// Applies a power-off after which only the transactions through a position are certain.
  ///
  /// Commits survive in their order: a registration, a loss or a retirement is certain if a transaction
  /// after it survived.
  mutating func makeMembershipUncertain(after last: Int) {
    guard status.isMember else {
      if let leftAt, last < leftAt { status.makeMembershipUncertain() }
      return
    }
    if last < joinedAt { status.makeMembershipUncertain() }
    guard let cutOffAt, last < cutOffAt, status.isCutOff else { return }
    // The loss is certainly rolled back only if a transaction before it is gone too.
    if last + 1 == cutOffAt { status.makeMembershipUncertain() }
    status.takeBackCutOff()
  }
}

/// A set of members by their position in the timeline, one bit each.
package struct MemberSet: OptionSet, Hashable, Sendable {
  /// The maximum number of members of a trace.
  package static let capacity = UInt64.bitWidth
  package var rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Creates the set of one member.
  package init(member: Int) { rawValue = 1 << UInt64(member) }

  /// The member with the least position, or `nil` in an empty set.
  package var first: Int? { isEmpty ? nil : rawValue.trailingZeroBitCount }
}
