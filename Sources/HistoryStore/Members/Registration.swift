public import PersistentHistory

/// One launch of one member, required to record, purge or resync.
///
/// While any copy exists, the member counts as running, so that a second process with its name is
/// refused; see ``StoreConfiguration/memberLocks``.
public struct Registration: Sendable, Hashable {
  /// The name of the member.
  public let member: ActorID
  /// The epoch of the launch; a later launch of the same member supersedes it.
  public let epoch: Int64
  /// The position through which the member had merged and recorded.
  public let cursor: HistoryToken
  /// Whether the member registered just now, so that history before the cursor does not concern it.
  public let isNew: Bool
  /// The outcome of importing a cursor, if the launch requested it.
  public let cursorImport: CursorImport?
  /// The lock held while the member runs, if the store could take one.
  let held: HeldMember

  init(
    member: ActorID,
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

  /// Whether other processes cannot run under the same name while this value exists.
  public var isHeld: Bool { held.hold != nil }

  /// The same launch without the hold, for a snapshot that outlives the process.
  package var released: Registration { with(hold: nil) }

  /// Returns the same launch with another hold.
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

/// A wrapper that excludes a hold from equality and hashing.
struct HeldMember: Sendable, Hashable {
  let hold: MemberHold?

  static func == (left: HeldMember, right: HeldMember) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}
