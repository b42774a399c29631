/// The state of one member as its events say, and the ways in which the store may differ.
///
/// The events decide until a power-off or a fault, which add alternatives. The next event that shows what
/// the store kept, usually the member's next launch, removes them. A member can be `absent`, `ahead` and
/// `behind` in the store; an actor that is no member can be `registered` there, and after a fault while it
/// retired `absent` as well.
package struct MemberStatus: Hashable, Sendable {
  /// Whether history is kept for a member, and whether it runs.
  package enum Presence: UInt8, Sendable {
    /// It never registered, or has retired.
    case absent
    /// It is registered and not launched.
    case stopped
    case running
  }

  /// Whether a member can still get all history that it needs.
  package enum HistoryAccess: UInt8, Sendable {
    case whole
    /// It was notified that it misses history, and has not resynced.
    case expired
    /// A retention limit cut it off, and it has not resynced.
    case cutOff
  }

  /// Ways in which the store may differ from what the events say.
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
    /// The last power-off may have taken records back, and the member has not been launched since.
    package static let takenBack = Alternatives(rawValue: 16)
  }

  /// The presence as the events say.
  package private(set) var presence = Presence.absent
  /// The access to history as the events say.
  package private(set) var access = HistoryAccess.whole
  /// The ways in which the store may differ; empty if all is certain.
  package private(set) var alternatives: Alternatives = []
  /// Whether it consumes history without a view.
  package internal(set) var isConsumer = false

  package init() {}
}

extension MemberStatus {
  /// Whether it is registered as its events say.
  package var isMember: Bool { presence != .absent }
  /// Whether it is launched.
  package var isRunning: Bool { presence == .running }
  /// Whether a retention limit has cut it off.
  package var isCutOff: Bool { access == .cutOff }
  /// Whether it misses history that it needs.
  package var missesHistory: Bool { access != .whole }

  /// Whether a purge must keep what it needs, whatever a power-off or a fault may have changed.
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

  /// Applies a launch, which reads the member's records in the store and so removes all alternatives but a
  /// consumer's own token.
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

  /// Applies that it was notified that history it needs is gone.
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

  /// Applies that the store holds the token that the consumer has itself.
  mutating func keepToken() { alternatives.remove(.behind) }

  /// Applies a launch at a token that the consumer keeps elsewhere: the store's may be older.
  mutating func launchAtOwnToken() { alternatives.insert(.behind) }
}

// MARK: Faults and power-offs

extension MemberStatus {
  /// Applies a fault during its command, which may have done more than its events say.
  mutating func fail(whileRetiring isRetiring: Bool) {
    if isRetiring { alternatives.insert(.absent) }
    alternatives.insert(isMember ? .ahead : .registered)
  }

  /// Applies that its command succeeded despite a fault: it did what its events say.
  mutating func succeed() {
    alternatives.subtract([.ahead, .absent])
    if !alternatives.contains(.takenBack) { alternatives.remove(.registered) }
  }

  /// Applies a power-off to its records, which its next launch shows again.
  mutating func losePower() {
    if isMember { alternatives.insert(.takenBack) } else { alternatives.remove(.takenBack) }
  }

  /// Applies a power-off that may have taken back its registration, resync or retirement.
  mutating func makeMembershipUncertain() { alternatives.insert(isMember ? .absent : .registered) }

  /// Applies a power-off that took back that it was cut off.
  mutating func takeBackCutOff() { access = .whole }
}
