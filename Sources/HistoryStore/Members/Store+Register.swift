public import HistoryTypes
import SQLiteStorage

/// The registry of members and the purge positions in a store's file.
///
/// The lab compares states by this value, the clock, the data, the history and the in-memory state
/// of all processes: together they determine all further behavior.
package struct StoreRegister: Sendable, Hashable {
  /// A member as recorded in its row of the registry.
  package struct Row: Sendable, Hashable {
    /// The name of the member.
    package let id: MemberID
    /// The number that stands for the ``MemberState``.
    package let state: Int64
    /// The transaction number of the member's recorded cursor.
    package let cursor: Int64
  }
  /// The transaction numbers up to which all or some transactions of one author were purged.
  package struct Mark: Sendable, Hashable {
    /// The author; `nil` for transactions without an author.
    package let author: String?
    /// The number up to which all transactions of the author were purged.
    package let purged: Int64
    /// The number up to which partial purges may have deleted some of the author's transactions.
    package let thinned: Int64
  }
  /// The members, sorted by name.
  package var members: [Row] = []
  /// The purge positions, sorted by author name; authors with both positions 0 are left out.
  package var marks: [Mark] = []
}

extension Store {
  /// Reads the registry and the purge positions, without any history.
  ///
  /// - Throws: ``HistoryError`` if the file cannot be read.
  /// - Complexity: one row per member and one per author.
  package func register() throws(HistoryError) -> StoreRegister {
    try lockedHistory { core in
      try core.read { StoreRegister(members: try core.registerRows(), marks: try core.marksGone()) }
    }
  }
}

extension StoreCore {
  fileprivate func registerRows() throws -> [StoreRegister.Row] {
    let rows = try query("SELECT id, state, cursor FROM history_member ORDER BY id")
    defer { rows.statement.reset() }
    var members: [StoreRegister.Row] = []
    while try rows.statement.step() {
      let id = MemberID(rows.statement.text(0) ?? "")
      members.append(.init(id: id, state: rows.statement.int(1), cursor: rows.statement.int(2)))
    }
    return members
  }

  fileprivate func marksGone() throws -> [StoreRegister.Mark] {
    let rows = try query(
      """
      SELECT \(layout.stringText), purged, ifnull(through, 0) FROM history_author
      LEFT JOIN history_thinned ON history_thinned.author = string
      LEFT JOIN \(layout.strings) ON \(layout.strings).\(layout.stringNumber) = string
      WHERE purged > 0 OR through > 0 ORDER BY 1
      """
    )
    defer { rows.statement.reset() }
    var marks: [StoreRegister.Mark] = []
    while try rows.statement.step() {
      marks.append(
        .init(
          author: rows.statement.text(0),
          purged: rows.statement.int(1),
          thinned: rows.statement.int(2)
        )
      )
    }
    return marks
  }
}

/// The registration of one launch of one member.
///
/// Recording a cursor, purging for a member, resyncing and retiring require the registration.
///
/// While any copy of the value exists, the member counts as running, and another launch of the
/// member is refused unless it takes over the lock; see ``StoreConfiguration/memberLocks``.
public struct Registration: Sendable, Hashable {
  /// The name of the member.
  public let member: MemberID
  /// The epoch of the launch; a later launch of the same member supersedes it.
  package let epoch: Int64
  /// The member's recorded cursor when the value was created.
  public let cursor: HistoryToken
  /// Whether the member was not active before this launch: it was new, retired, forgotten or lost.
  ///
  /// If so, the member receives only the history after ``cursor``.
  public let isNew: Bool
  /// The result of importing a cursor, or `nil` if no cursors to import were given.
  public let cursorImport: CursorImport?
  /// A wrapper of the object that owns the lock by which the member is marked as running.
  ///
  /// That object, `hold`, is `nil` if the lock could not be acquired, and in the copy ``released``.
  /// After a launch in a suspended store, `hold` is an object without a lock.
  let held: HeldMember

  init(
    member: MemberID,
    epoch: Int64,
    cursor: HistoryToken,
    isNew: Bool,
    cursorImport: CursorImport? = nil,
    hold: MemberHold?
  ) {
    self.member = member
    self.epoch = epoch
    self.cursor = cursor
    self.isNew = isNew
    self.cursorImport = cursorImport
    held = HeldMember(hold: hold)
  }

  /// Whether this registration has a lock that keeps other processes from running the member.
  ///
  /// `false` while the store is suspended, and if the store acquired no lock.
  public var isHeld: Bool { held.hold?.isHeld ?? false }

  /// A copy of the registration without the lock.
  ///
  /// For example, a snapshot of a simulated process must not keep the lock.
  package var released: Registration { with(hold: nil) }

  /// Returns a copy of the registration with another lock; `nil` gives a copy without a lock.
  func with(hold: MemberHold?) -> Registration {
    Registration(
      member: member,
      epoch: epoch,
      cursor: cursor,
      isNew: isNew,
      cursorImport: cursorImport,
      hold: hold
    )
  }
}

/// A wrapper that excludes a member's lock from equality and hashing.
struct HeldMember: Sendable, Hashable {
  let hold: MemberHold?

  static func == (left: HeldMember, right: HeldMember) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}
