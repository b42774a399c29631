public import PersistentHistory
import SQLiteStorage

/// One launch of one member: what it must name to record, purge or resync.
public struct Registration: Sendable, Hashable {
  /// Who.
  public let member: ActorID
  /// Which launch; a later one of the same member supersedes it.
  public let epoch: Int64
  /// The position through which the member had merged and recorded.
  public let cursor: HistoryToken
  /// Whether the member registered just now, so that nothing before the cursor concerns it.
  public let isNew: Bool
}

/// What a member is.
public enum MemberKind: Int64, Sendable, Hashable {
  /// A process with contexts.
  case actor = 0
  /// A reader without a view that keeps a token.
  case consumer = 1
}

/// Whether history is kept for a member.
public enum MemberState: Int64, Sendable, Hashable {
  /// It is.
  case active = 0
  /// It left.
  case retired = 1
  /// A retention limit has cut it off.
  case lost = 2
}

/// A member as the registry in the store's file knows it.
public struct Member: Sendable, Hashable {
  /// Who.
  public let id: ActorID
  /// What.
  public let kind: MemberKind
  /// Whether history is kept for it.
  public let state: MemberState
  /// The number that it has merged and recorded through.
  public let cursor: Int64
  /// When it last registered, launched or recorded, by the store's clock.
  public let seen: Date
}

extension Store {
  /// Registers a member at the head, or takes up the registration of one that is known, in a new
  /// epoch: what an earlier process of the same member still does is refused from here on.
  ///
  /// A member that a retention limit has cut off joins only when it says that it will read its data
  /// anew: then it starts at the head, as at its first launch.
  ///
  /// - Throws: ``HistoryError/lost(_:)`` when the member was cut off and does not resync.
  /// - Complexity: one write of one row; the snapshot of the data is read after it, not inside it.
  public func join(
    _ member: ActorID,
    kind: MemberKind = .actor,
    author: String? = nil,
    resyncingIfLost: Bool = false
  ) throws(HistoryError) -> Registration {
    try lockedHistory { core in
      try core.write {
        if resyncingIfLost, let row = try core.row(of: member), row.state == .lost {
          try core.setState(.retired, of: member)
        }
        return try core.join(member, kind: kind, author: author)
      }
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
      try core.write {
        try core.checkIsOurs(cursor)
        try core.record(registration, through: cursor)
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
        return try core.enter(
          registration.member,
          epoch: registration.epoch,
          cursor: try core.headToken()
        )
      }
    }
  }

  /// The members that history is or was kept for.
  ///
  /// - Complexity: one row a member.
  public func members() throws(HistoryError) -> [Member] {
    try lockedHistory { core in
      let query = try core.query(
        "SELECT id, kind, state, cursor, seen FROM history_member ORDER BY id"
      )
      defer { query.statement.reset() }
      var members: [Member] = []
      while try query.statement.step() {
        members.append(
          Member(
            id: ActorID(query.statement.text(0) ?? "?"),
            kind: MemberKind(rawValue: query.statement.int(1)) ?? .actor,
            state: MemberState(rawValue: query.statement.int(2)) ?? .active,
            cursor: query.statement.int(3),
            seen: Date(timeIntervalSinceReferenceDate: query.statement.real(4))
          )
        )
      }
      return members
    }
  }
}

/// A member's row in the registry.
struct MemberRow {
  var epoch: Int64
  var state: MemberState
  var cursor: Int64
  var mark: Int64
}

extension StoreCore {
  fileprivate func join(
    _ member: ActorID,
    kind: MemberKind,
    author: String?
  ) throws -> Registration {
    let epoch = try nextEpoch()
    guard let row = try row(of: member), row.state != .retired else {
      let head = try headToken()
      let insert = try query(
        "INSERT OR REPLACE INTO history_member VALUES(?1,?2,?3,0,?4,?5,?4,?6,?7,?8)"
      )
      insert.statement.bind(member.name, at: 1)
      insert.statement.bind(epoch, at: 2)
      insert.statement.bind(kind.rawValue, at: 3)
      insert.statement.bind(head.number, at: 4)
      insert.statement.bind(head.mark, at: 5)
      insert.statement.bind(configuration.clock().timeIntervalSinceReferenceDate, at: 6)
      insert.statement.bind(author, at: 7)
      insert.statement.bind(configuration.processID, at: 8)
      try insert.statement.run()
      return Registration(member: member, epoch: epoch, cursor: head, isNew: true)
    }
    guard row.state == .active else { throw HistoryError.lost(member) }
    let cursor = HistoryToken(store: id, number: row.cursor, mark: row.mark)
    return try enter(member, epoch: epoch, cursor: cursor)
  }

  /// Writes a member's epoch and cursor, and makes it active.
  fileprivate func enter(
    _ member: ActorID,
    epoch: Int64,
    cursor: HistoryToken
  ) throws -> Registration {
    let update = try query(
      """
      UPDATE history_member SET epoch = ?2, state = 0, cursor = ?3, mark = ?4, seen = ?5
      WHERE id = ?1
      """
    )
    update.statement.bind(member.name, at: 1)
    update.statement.bind(epoch, at: 2)
    update.statement.bind(cursor.number, at: 3)
    update.statement.bind(cursor.mark, at: 4)
    update.statement.bind(configuration.clock().timeIntervalSinceReferenceDate, at: 5)
    try update.statement.run()
    return Registration(member: member, epoch: epoch, cursor: cursor, isNew: false)
  }

  private func nextEpoch() throws -> Int64 {
    let raise = try query(
      "UPDATE history_metadata SET value = value + 1 WHERE name = 'epoch' RETURNING value"
    )
    defer { raise.statement.reset() }
    guard try raise.statement.step() else {
      throw HistoryError.damaged(path: path, what: "it has no epoch")
    }
    return raise.statement.int(0)
  }

  fileprivate func record(_ registration: Registration, through cursor: HistoryToken) throws {
    let update = try statement(.recordCursor)
    update.statement.bind(registration.member.name, at: 1)
    update.statement.bind(registration.epoch, at: 2)
    update.statement.bind(cursor.number, at: 3)
    update.statement.bind(cursor.mark, at: 4)
    update.statement.bind(configuration.clock().timeIntervalSinceReferenceDate, at: 5)
    try update.statement.run()
    if connection.changes == 0 { try validate(registration) }
  }

  /// Refuses a registration that a later one, a retirement or a retention limit has ended.
  func validate(_ registration: Registration, mayBeLost: Bool = false) throws {
    guard let row = try row(of: registration.member), row.state != .retired else {
      throw HistoryError.notAMember(registration.member)
    }
    guard row.epoch == registration.epoch else {
      throw HistoryError.superseded(registration.member)
    }
    guard row.state == .active || mayBeLost else { throw HistoryError.lost(registration.member) }
  }

  fileprivate func setState(_ state: MemberState, of member: ActorID) throws {
    let update = try query(
      "UPDATE history_member SET state = ?2 WHERE id = ?1"
    )
    update.statement.bind(member.name, at: 1)
    update.statement.bind(state.rawValue, at: 2)
    try update.statement.run()
  }

  fileprivate func row(of member: ActorID) throws -> MemberRow? {
    let query = try statement(.member)
    query.statement.bind(member.name, at: 1)
    defer { query.statement.reset() }
    guard try query.statement.step() else { return nil }
    return MemberRow(
      epoch: query.statement.int(0),
      state: MemberState(rawValue: query.statement.int(1)) ?? .retired,
      cursor: query.statement.int(2),
      mark: query.statement.int(3)
    )
  }
}
