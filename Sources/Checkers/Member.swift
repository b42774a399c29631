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

/// The state of one member according to its events, and possible differences in the store.
///
/// The events decide until a power-off or a fault, which add alternatives. The next event that
/// shows the state of the store, usually the member's next launch, removes them. A member can be
/// `absent`, `ahead` and `behind` in the store; an actor that is no member can be `registered`
/// there, and after a fault while it retired `absent` as well.
package struct MemberStatus: Hashable, Sendable {
  /// Whether history is kept for a member, and whether it runs.
  package enum Presence: UInt8, Sendable {
    /// Never registered, or retired.
    case absent
    /// Registered and not launched.
    case stopped
    case running
  }

  /// Whether a member can still get all history that it needs.
  package enum HistoryAccess: UInt8, Sendable {
    case whole
    /// Notified that it misses history, and not resynced since.
    case expired
    /// Cut off by a retention limit, and not resynced since.
    case cutOff
  }

  /// The possible differences of the store from the events.
  package struct Alternatives: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The store may hold no registration of the member, or still have it cut off.
    package static let absent = Alternatives(rawValue: 1)
    /// The cursor may have moved without an event.
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
  /// The possible differences of the store; empty if its state is certain.
  package private(set) var alternatives: Alternatives = []
  /// Whether it consumes history without a view.
  package internal(set) var isConsumer = false

  package init() {}
}

extension MemberStatus {
  /// Whether it is registered according to its events.
  package var isMember: Bool { presence != .absent }
  /// Whether it is launched.
  package var isRunning: Bool { presence == .running }
  /// Whether a retention limit has cut it off.
  package var isCutOff: Bool { access == .cutOff }
  /// Whether it misses history that it needs.
  package var missesHistory: Bool { access != .whole }

  /// Whether a purge must keep its history, whatever a power-off or a fault may have changed.
  package var isKept: Bool {
    isMember && !isCutOff && alternatives.isDisjoint(with: [.absent, .ahead])
  }

  /// Whether it is a member whose cursor has not moved without an event.
  package var hasCertainCursor: Bool { isMember && !alternatives.contains(.ahead) }

  /// Whether it must have merged everything at the end.
  package var mustMerge: Bool {
    isRunning && !missesHistory && !alternatives.contains(.absent)
  }

  /// Whether its next registration starts from scratch, without duties from before.
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
  /// It removes all alternatives except a consumer's own token.
  mutating func launch() {
    presence = .running
    alternatives.formIntersection(.behind)
  }

  /// Applies the end of its process, in order or by a crash.
  mutating func stop() {
    if presence == .running { presence = .stopped }
  }

  mutating func retire() {
    presence = .absent
    access = .whole
    alternatives.subtract([.absent, .ahead, .behind])
  }

  /// Applies a notification that history it needs is gone.
  mutating func expire() {
    if access == .whole { access = .expired }
  }

  mutating func cutOff() { access = .cutOff }

  mutating func resync() { access = .whole }

  /// Applies a record, which shows where its cursor is.
  mutating func record() { alternatives.remove(.ahead) }

  /// Applies a new token of a registered consumer.
  mutating func consume() {
    isConsumer = true
    presence = .running
  }

  /// Applies that the store has the same token as the consumer.
  mutating func keepToken() { alternatives.remove(.behind) }

  /// Applies a launch at a token outside the store: the store's token may be older.
  mutating func launchAtOwnToken() { alternatives.insert(.behind) }
}

// MARK: Faults and power-offs

extension MemberStatus {
  /// Applies a fault during its command, which may have done more than its events say.
  mutating func fail(whileRetiring isRetiring: Bool) {
    if isRetiring { alternatives.insert(.absent) }
    alternatives.insert(isMember ? .ahead : .registered)
  }

  /// Applies the success of its command despite a fault: its events are complete.
  mutating func succeed() {
    alternatives.subtract([.ahead, .absent])
    if !alternatives.contains(.takenBack) { alternatives.remove(.registered) }
  }

  /// Applies a power-off to its records, which its next launch shows again.
  mutating func losePower() {
    if isMember { alternatives.insert(.takenBack) } else { alternatives.remove(.takenBack) }
  }

  /// Applies a power-off that may have rolled back its registration, resync or retirement.
  mutating func makeMembershipUncertain() { alternatives.insert(isMember ? .absent : .registered) }

  /// Applies a power-off that rolled back the loss of its history.
  mutating func takeBackCutOff() { access = .whole }
}
