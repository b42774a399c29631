public import PersistentHistory

/// One launch of one member: what it must name to record, purge or resync.
///
/// While any copy of it lives the member counts as running, so that a second process with its name is
/// refused by name; see ``StoreConfiguration/memberLocks``.
public struct Registration: Sendable, Hashable {
  /// Who.
  public let member: ActorID
  /// Which launch; a later one of the same member supersedes it.
  public let epoch: Int64
  /// The position through which the member had merged and recorded.
  public let cursor: HistoryToken
  /// Whether the member registered just now, so that nothing before the cursor concerns it.
  public let isNew: Bool
  /// What became of the cursor that the launch asked to import, if it did.
  public let cursorImport: CursorImport?
  /// What says that the member runs, where that can be said.
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

  /// Whether others are kept from running under the same name while this lives.
  public var isHeld: Bool { held.hold != nil }

  /// The same launch without the hold: what the lab keeps while the process itself is gone.
  package var released: Registration { with(hold: nil) }

  /// The same launch with another hold.
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

/// A hold within a value, which it does not make differ from others.
struct HeldMember: Sendable, Hashable {
  let hold: MemberHold?

  static func == (left: HeldMember, right: HeldMember) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}
