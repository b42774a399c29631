import HistoryTypes
package import Traces

/// The state of one actor or consumer in a trace so far; positions are in commit order.
package struct Member: Sendable {
  /// The member's name in the plan.
  package let id: ActorID
  /// The set of this member alone.
  package let bit: MemberSet
  /// The member's registration, process and access to history.
  package internal(set) var status = MemberStatus()
  /// Whether the member has several contexts, so that each must merge the saves of the other contexts.
  package internal(set) var hasSeveralContexts = false
  /// The number of transactions when the member registered: it must merge all later transactions.
  package internal(set) var registeredFrom = 0
  /// The number of transactions at the last registration, or at the last resync after lost history.
  package internal(set) var joinedAt = 0
  /// The number of transactions when a limit last cut the member off; `nil` if none did.
  package internal(set) var cutOffAt: Int?
  /// The number of transactions when the member last retired; `nil` if it never retired.
  package internal(set) var leftAt: Int?
  /// The position of the recorded cursor; `nil` if the member has none.
  package internal(set) var cursor: Int?
  /// The greatest position merged since the member was launched; -1 if none.
  package internal(set) var mergedThrough = -1
  /// The position below which the member has merged and recorded all required transactions.
  package internal(set) var recordedBelow = 0
  /// The number of transactions when the consumer last consumed.
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

  /// Applies a power-off that certainly left only the transactions through a position.
  ///
  /// A power-off keeps a prefix of the commits: a registration, a loss or a retirement is certain if a
  /// later transaction is still in the store.
  mutating func makeMembershipUncertain(after last: Int) {
    guard status.isMember else {
      if let leftAt, last < leftAt { status.makeMembershipUncertain() }
      return
    }
    if last < joinedAt { status.makeMembershipUncertain() }
    guard let cutOffAt, last < cutOffAt, status.isCutOff else { return }
    // The cut-off is certainly rolled back only if a transaction before it is gone too.
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

/// The state of one member according to its events, with the alternatives that the store may hold.
///
/// Without power-offs and faults, the store agrees with the events. After a power-off or a fault,
/// it may be in one of several states, the alternatives, until an event shows the state, usually
/// the member's next launch. A member can be `absent`, `ahead` and `behind` in the store. An actor
/// that is no member can be `registered` there, and after a fault during its retirement `absent` as
/// well.
package struct MemberStatus: Hashable, Sendable {
  /// Whether history is kept for a member, and whether it runs.
  package enum Presence: UInt8, Sendable {
    /// The member was never registered, or has retired.
    case absent
    /// The member is registered and not launched.
    case stopped
    case running
  }

  /// Whether a member can still get all history that it needs.
  package enum HistoryAccess: UInt8, Sendable {
    case whole
    /// The member was notified that history it needs is gone, and has not resynced since.
    case expired
    /// The member was cut off by a retention limit, and has not resynced since.
    case cutOff
  }

  /// The ways in which the store may differ from the events.
  package struct Alternatives: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The store may hold no registration of the member, or may still have the member cut off.
    package static let absent = Alternatives(rawValue: 1)
    /// The cursor in the store may have moved without an event.
    package static let ahead = Alternatives(rawValue: 2)
    /// The store may hold a registration that the events do not show.
    package static let registered = Alternatives(rawValue: 4)
    /// The store may hold an older token than the consumer itself.
    package static let behind = Alternatives(rawValue: 8)
    /// The last power-off may have rolled back records, and the member has not been launched since.
    package static let takenBack = Alternatives(rawValue: 16)
  }

  /// The presence according to the events.
  package private(set) var presence = Presence.absent
  /// The access to history according to the events.
  package private(set) var access = HistoryAccess.whole
  /// The ways in which the store may differ from the events; empty if the state is certain.
  package private(set) var alternatives: Alternatives = []
  /// Whether the member is a consumer, which has no view.
  package internal(set) var isConsumer = false

  package init() {}
}

extension MemberStatus {
  /// Whether the member is registered according to its events.
  package var isMember: Bool { presence != .absent }
  /// Whether the member is launched.
  package var isRunning: Bool { presence == .running }
  /// Whether a retention limit has cut the member off.
  package var isCutOff: Bool { access == .cutOff }
  /// Whether history that the member needs is gone.
  package var missesHistory: Bool { access != .whole }

  /// Whether a purge must keep the member's history in every state that the store may be in.
  package var isKept: Bool {
    isMember && !isCutOff && alternatives.isDisjoint(with: [.absent, .ahead])
  }

  /// Whether the actor is a member whose cursor cannot have moved without an event.
  package var hasCertainCursor: Bool { isMember && !alternatives.contains(.ahead) }

  /// Whether the member must have merged all required transactions at the end of the trace.
  package var mustMerge: Bool {
    isRunning && !missesHistory && !alternatives.contains(.absent)
  }

  /// Whether the next registration starts from scratch and requires no earlier transaction.
  var startsFromScratch: Bool {
    !isMember || missesHistory || alternatives.contains(.absent)
  }
}

// MARK: Events

extension MemberStatus {
  mutating func register() {
    access = .whole
    launch()
  }

  /// Applies a launch, which reads the member's records in the store.
  ///
  /// A launch removes all alternatives except `behind`, which concerns a consumer's own token.
  mutating func launch() {
    presence = .running
    alternatives.formIntersection(.behind)
  }

  /// Applies the end of the member's process, normal or by a crash.
  mutating func stop() {
    if presence == .running { presence = .stopped }
  }

  mutating func retire() {
    presence = .absent
    access = .whole
    alternatives.subtract([.absent, .ahead, .behind])
  }

  /// Applies a notification that history which the member needs is gone.
  mutating func expire() {
    if access == .whole { access = .expired }
  }

  mutating func cutOff() { access = .cutOff }

  mutating func resync() { access = .whole }

  /// Applies a recorded cursor, which makes the cursor in the store certain.
  mutating func record() { alternatives.remove(.ahead) }

  /// Applies a new token of a registered consumer.
  mutating func consume() {
    isConsumer = true
    presence = .running
  }

  /// Applies a consumer's record, after which the store and the consumer have the same token.
  mutating func keepToken() { alternatives.remove(.behind) }

  /// Applies a launch with the consumer's own token: the token in the store may be older.
  mutating func launchAtOwnToken() { alternatives.insert(.behind) }
}

// MARK: Faults and power-offs

extension MemberStatus {
  /// Applies a fault during the member's command, which may have had effects without an event.
  mutating func fail(whileRetiring isRetiring: Bool) {
    if isRetiring { alternatives.insert(.absent) }
    alternatives.insert(isMember ? .ahead : .registered)
  }

  /// Applies the success of the member's command despite a fault: its events show all effects.
  mutating func succeed() {
    alternatives.subtract([.ahead, .absent])
    if !alternatives.contains(.takenBack) { alternatives.remove(.registered) }
  }

  /// Applies a power-off, which may have rolled back records that the next launch shows again.
  mutating func losePower() {
    if isMember { alternatives.insert(.takenBack) } else { alternatives.remove(.takenBack) }
  }

  /// Applies a power-off that may have rolled back a registration, resync or retirement.
  mutating func makeMembershipUncertain() { alternatives.insert(isMember ? .absent : .registered) }

  /// Applies a power-off that rolled back the cut-off of the member.
  mutating func takeBackCutOff() { access = .whole }
}
