public import PersistentHistory
import SQLiteStorage

extension Store {
  /// Registers a member at the head, or takes up the registration of one that is known, in a new
  /// epoch: what an earlier process of the same member still does is refused from here on.
  ///
  /// A member that a retention limit has cut off joins only when it says that it will read its data
  /// anew: then it starts at the head, as at its first launch. One that joins for the first time may
  /// bring the dates that PersistentHistoryTrackingKit kept for its author: it starts behind what was
  /// certainly merged then, which is never above the head.
  ///
  /// The process counts as running the member while it keeps the registration, and so does whoever
  /// takes over another registration of the same member in this process.
  ///
  /// - Throws: ``HistoryError/inUse(_:processID:)`` while the member runs elsewhere, or in this process
  ///   under a registration that is not taken over; ``HistoryError/lost(_:)`` when it was cut off and
  ///   does not resync. Nothing is written then.
  /// - Complexity: one write of one row, and two system calls for the lock; the snapshot of the data is
  ///   read after it, not inside it.
  public func join(
    _ member: ActorID,
    kind: MemberKind = .actor,
    author: String? = nil,
    resyncingIfLost: Bool = false,
    declaring declared: MemberConfiguration = MemberConfiguration(),
    importing cursors: KitCursors? = nil,
    takingOver previous: Registration? = nil
  ) throws(HistoryError) -> Registration {
    guard configuration.tracksHistory else { throw .untracked(path: path) }
    guard !isForReading else { throw .openForReading(path: path) }
    var arrival = Arrival(member: member, kind: kind, author: author, declared: declared)
    arrival.declared.protectedAuthors = configuration.protectedAuthors
    arrival.cursors = cursors
    arrival.resyncsIfLost = resyncingIfLost
    let hold = try hold(member, takenFrom: previous)
    return try lockedHistory { core in try core.write { try core.join(arrival) } }.with(hold: hold)
  }

  /// Makes a registration that was put back by the lab count as running again.
  package func holding(_ registration: Registration) throws(HistoryError) -> Registration {
    registration.with(hold: try hold(registration.member, takenFrom: nil))
  }

  private func hold(
    _ member: ActorID,
    takenFrom previous: Registration?
  ) throws(HistoryError) -> MemberHold? {
    if let hold = previous?.held.hold, previous?.member == member { return hold }
    switch configuration.memberLocks.take(member, self) {
    case .held(let hold): return hold
    case .taken(let processID): throw .inUse(member, processID: processID)
    case .unknown: return nil
    }
  }

  /// Records that a member has merged through a position; recording less than before does nothing.
  ///
  /// - Throws: ``HistoryError/superseded(_:)``, ``HistoryError/lost(_:)`` or
  ///   ``HistoryError/notAMember(_:)``, ``HistoryError/rewound(token:head:)`` or
  ///   ``HistoryError/otherStore(token:store:)`` for a position that is none of this history; nothing
  ///   is written then.
  /// - Complexity: one write of one row.
  public func record(
    _ registration: Registration,
    through cursor: HistoryToken
  ) throws(HistoryError) {
    try lockedHistory { core in
      try core.witnessed {
        try core.write {
          try core.checkIsOurs(cursor)
          try core.record(registration, through: cursor)
          core.tellWitness(MemberWrite(member: registration.member, cursor: cursor))
        }
      }
    }
  }

  /// Ends a membership: history is not kept for it any more.
  public func retire(_ registration: Registration) throws(HistoryError) {
    try lockedHistory { core in
      try core.write {
        try core.validate(registration, mayBeLost: true)
        try core.setState(.retired, of: registration.member)
      }
    }
  }

  /// Moves a member's cursor to the head, whether it was lost or not; its data must be read anew.
  ///
  /// - Returns: the new position, at or before which nothing is told to the member any more.
  public func resync(_ registration: Registration) throws(HistoryError) -> Registration {
    try lockedHistory { core in
      try core.write {
        try core.validate(registration, mayBeLost: true)
        let cursor = try core.headToken()
        try core.move(registration, to: cursor)
        return Registration(
          member: registration.member,
          epoch: registration.epoch,
          cursor: cursor,
          isNew: false,
          hold: registration.held.hold
        )
      }
    }
  }

  /// Removes a member that never returns, and all that the registry knows of it: history is not kept
  /// for it any more, and its next launch is its first.
  ///
  /// It is meant for somebody's hand: an app that was removed, a consumer that nobody runs any more.
  ///
  /// - Returns: whether the registry knew the member.
  /// - Throws: ``HistoryError/inUse(_:processID:)`` while it runs, also in this process.
  public func forget(_ member: ActorID) throws(HistoryError) -> Bool {
    guard configuration.tracksHistory else { throw .untracked(path: path) }
    guard !isForReading else { throw .openForReading(path: path) }
    let hold = try hold(member, takenFrom: nil)
    return try withExtendedLifetime(hold) { () throws(HistoryError) in
      try lockedHistory { core in try core.write { try core.remove(member) } }
    }
  }

  /// The members that history is or was kept for, by name.
  ///
  /// - Throws: ``HistoryError/damaged(path:what:)`` when the registry makes no sense.
  /// - Complexity: two queries a member, and one look at each transaction that the slowest one has not
  ///   merged.
  public func members() throws(HistoryError) -> [Member] {
    try lockedHistory { core in try core.read { try core.members() } }
  }
}
