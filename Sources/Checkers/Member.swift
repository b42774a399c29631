import HistoryTypes
package import Traces

/// The state of one actor or consumer after the events of a trace so far.
///
/// Positions of transactions are in commit order. The properties that count transactions, such as
/// ``registeredFrom``, count all that were committed before a moment, including purged ones.
package struct Member: Sendable {
  /// The member's name in the plan.
  package let id: ActorID
  /// The set that contains only this member.
  package let bit: MemberSet
  /// Whether the member is registered and running, and whether it can still get all history.
  package internal(set) var status = MemberStatus()
  /// Whether the member has several contexts, each of which must merge the saves of the others.
  package internal(set) var hasSeveralContexts = false
  /// The number of transactions at registration; the member must merge all later transactions.
  package internal(set) var registeredFrom = 0
  /// The number of transactions at the last registration, or at the last resync after lost history.
  package internal(set) var joinedAt = 0
  /// The number of transactions when the retention limit last cut the member off.
  ///
  /// `nil` if the member was never cut off.
  package internal(set) var cutOffAt: Int?
  /// The number of transactions when the member last retired; `nil` if it never retired.
  package internal(set) var leftAt: Int?
  /// The position of the recorded cursor; `nil` if the member has none.
  package internal(set) var cursor: Int?
  /// The greatest position merged since the member was launched; -1 if none.
  package internal(set) var mergedThrough = -1
  /// The position below which the member has merged and recorded all transactions that it must merge.
  package internal(set) var recordedBelow = 0
  /// The number of committed transactions when the consumer last read history; 0 if it never did.
  package internal(set) var consumedFrom = 0

  init(_ id: ActorID, position: Int) {
    self.id = id
    bit = MemberSet(member: position)
  }

  /// Limits the member's positions to the first `count` transactions, which a power-off left.
  mutating func clampPositions(to count: Int) {
    registeredFrom = min(registeredFrom, count)
    recordedBelow = min(recordedBelow, count)
    consumedFrom = min(consumedFrom, count)
  }

  /// Marks changes of the member's registration as uncertain after a power-off.
  ///
  /// `last` is the position of the last transaction that survived. A registration, a retirement, a
  /// cut-off or a resync after lost history survived too if it preceded that transaction. If it
  /// followed, it may have been rolled back.
  mutating func makeMembershipUncertain(after last: Int) {
    guard status.isMember else {
      if let leftAt, last < leftAt { status.makeMembershipUncertain() }
      return
    }
    if last < joinedAt { status.makeMembershipUncertain() }
    guard let cutOffAt, last < cutOffAt, status.isCutOff else { return }
    // If every transaction before the cut-off survived, the cut-off may have survived too.
    if last + 1 == cutOffAt { status.makeMembershipUncertain() }
    status.takeBackCutOff()
  }
}

/// A set of members: each has one bit, at its index in ``Timeline/everyone``.
package struct MemberSet: OptionSet, Hashable, Sendable {
  /// The maximum number of members of a trace.
  package static let capacity = UInt64.bitWidth
  package var rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Creates the set of one member.
  package init(member: Int) { rawValue = 1 << UInt64(member) }

  /// The index of the first member in the set, or `nil` if the set is empty.
  package var first: Int? { isEmpty ? nil : rawValue.trailingZeroBitCount }
}

/// The status of an actor or consumer as a member, and how the store may differ from it.
///
/// The status is derived from the events. Without power-offs and faults, the store agrees with it.
/// After a power-off or a fault, the store may contain another status. The ``alternatives`` then
/// list the possible differences, until an event shows the status, usually the next launch. While
/// the actor is a member, the alternatives can be `absent`, `ahead` and `behind`. While it is not a
/// member (never registered, or retired), they can be `registered` and, after a fault during its
/// retirement, `absent`. A power-off also adds `takenBack` to every member. ``Alternatives``
/// explains each of them.
package struct MemberStatus: Hashable, Sendable {
  /// Whether a member is registered, and whether it runs.
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
    /// The member was notified that history which it needs is gone, and has not resynced since.
    case expired
    /// A retention limit has cut the member off, and the member has not resynced since.
    case cutOff
  }

  /// The possible differences between a member's state in the store and its state in the events.
  package struct Alternatives: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The store may lack the member's registration.
    ///
    /// After a power-off, the store may instead mark the member as cut off. The power-off may have
    /// rolled back the member's resync, or may have left a cut-off that was made just before.
    package static let absent = Alternatives(rawValue: 1)
    /// The cursor in the store may have moved without an event.
    package static let ahead = Alternatives(rawValue: 2)
    /// The store may contain a registration that the events do not show.
    package static let registered = Alternatives(rawValue: 4)
    /// The store may contain an older token than the one that the consumer keeps itself.
    package static let behind = Alternatives(rawValue: 8)
    /// A power-off may have rolled back the member's row in the store.
    ///
    /// The member's next launch shows the content of the row.
    package static let takenBack = Alternatives(rawValue: 16)
  }

  /// Whether the member is absent, stopped or running, according to the events.
  package private(set) var presence = Presence.absent
  /// Whether the member can still get all history that it needs, according to the events.
  package private(set) var access = HistoryAccess.whole
  /// The ways in which the member's status in the store may differ from the events; empty if none.
  ///
  /// Only power-offs and faults make differences possible.
  package private(set) var alternatives: Alternatives = []
  /// Whether the member is a consumer: it reads history, but has no contexts to merge it into.
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

  /// Whether purges must keep the member's unmerged history.
  ///
  /// The value is `false` also if the store may lack the member's registration, or if the cursor in
  /// the store may have moved without an event.
  package var isKept: Bool {
    isMember && !isCutOff && alternatives.isDisjoint(with: [.absent, .ahead])
  }

  /// Whether the actor is a member whose cursor in the store cannot have moved without an event.
  package var hasCertainCursor: Bool { isMember && !alternatives.contains(.ahead) }

  /// Whether the member must have merged all its required transactions at the end of the trace.
  package var mustMerge: Bool {
    isRunning && !missesHistory && !alternatives.contains(.absent)
  }

  /// Whether the member need not merge the transactions that precede its next registration.
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

  /// Records a launch: the member reads its row in the store, so the store's state is certain.
  ///
  /// Of the ``alternatives``, only `behind` remains: a consumer's own token may be newer than the
  /// one in the store.
  mutating func launch() {
    presence = .running
    alternatives.formIntersection(.behind)
  }

  /// Records the end of the member's process, normal or by a crash.
  mutating func stop() {
    if presence == .running { presence = .stopped }
  }

  mutating func retire() {
    presence = .absent
    access = .whole
    alternatives.subtract([.absent, .ahead, .behind])
  }

  /// Records that the member was notified that history which it needs is gone.
  mutating func expire() {
    if access == .whole { access = .expired }
  }

  mutating func cutOff() { access = .cutOff }

  mutating func resync() { access = .whole }

  /// Records that the member has stored its cursor, so the cursor in the store is certain.
  mutating func record() { alternatives.remove(.ahead) }

  /// Records that a registered consumer has a new token.
  mutating func consume() {
    isConsumer = true
    presence = .running
  }

  /// Records that a consumer has stored its token, so the store and the consumer have the same one.
  mutating func keepToken() { alternatives.remove(.behind) }

  /// Records that a consumer is launched with a token that it has kept outside the store.
  ///
  /// A power-off may have rolled back the token in the store, so `behind` becomes possible.
  mutating func launchAtOwnToken() { alternatives.insert(.behind) }
}

// MARK: Faults and power-offs

extension MemberStatus {
  /// Records a fault in a command of the member: some effects of the command may have no event.
  ///
  /// A retirement may have taken effect, a member's cursor may have moved, and an actor that is no
  /// member may have been registered.
  mutating func fail(whileRetiring isRetiring: Bool) {
    if isRetiring { alternatives.insert(.absent) }
    alternatives.insert(isMember ? .ahead : .registered)
  }

  /// Records that a command succeeded despite a fault, so the events show all of its effects.
  mutating func succeed() {
    alternatives.subtract([.ahead, .absent])
    if !alternatives.contains(.takenBack) { alternatives.remove(.registered) }
  }

  /// Records a power-off, which may have rolled back the member's row in the store.
  ///
  /// The member's next launch shows the content of the row.
  mutating func losePower() {
    if isMember { alternatives.insert(.takenBack) } else { alternatives.remove(.takenBack) }
  }

  /// Records a power-off, which may have rolled back a registration, a resync or a retirement.
  mutating func makeMembershipUncertain() { alternatives.insert(isMember ? .absent : .registered) }

  /// Marks the member as not cut off, because a power-off may have rolled the cut-off back.
  ///
  /// A retention limit cuts off a member that is too far behind: purges then ignore the member.
  mutating func takeBackCutOff() { access = .whole }
}
