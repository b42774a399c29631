internal import CSQLite

/// The lock of one database file, shared by its handles.
///
/// The five levels and their transitions are those of https://sqlite.org/lockingv3.html, as
/// `os_unix.c` implements them for the handles of one process. Each handle stores its own level and
/// passes it in. No call waits: a lock that cannot be granted returns `SQLITE_BUSY` at once.
struct DatabaseLock {
  /// The highest level that any handle holds.
  private(set) var level = SQLITE_LOCK_NONE
  /// The number of handles that hold `SHARED` or more.
  private(set) var holderCount = 0

  /// Whether a handle may have changed the file without having committed.
  var isReserved: Bool { level > SQLITE_LOCK_SHARED }

  /// Raises a handle's level from `held`; a failed raise to exclusive leaves it pending.
  mutating func raise(_ held: inout Int32, to wanted: Int32) -> Int32 {
    if held >= wanted { return SQLITE_OK }
    let isElsewhere = held != level
    if isElsewhere && (level >= SQLITE_LOCK_PENDING || wanted > SQLITE_LOCK_SHARED) {
      return SQLITE_BUSY
    }
    if wanted == SQLITE_LOCK_SHARED {
      holderCount += 1
      held = SQLITE_LOCK_SHARED
      level = max(level, SQLITE_LOCK_SHARED)
      return SQLITE_OK
    }
    if wanted == SQLITE_LOCK_EXCLUSIVE && holderCount > 1 {
      held = SQLITE_LOCK_PENDING
      level = SQLITE_LOCK_PENDING
      return SQLITE_BUSY
    }
    held = wanted
    level = wanted
    return SQLITE_OK
  }

  /// Lowers a handle's level from `held` to shared or none.
  mutating func lower(_ held: inout Int32, to wanted: Int32) {
    if held <= wanted { return }
    if held > SQLITE_LOCK_SHARED { level = SQLITE_LOCK_SHARED }
    if wanted == SQLITE_LOCK_NONE {
      holderCount -= 1
      if holderCount == 0 { level = SQLITE_LOCK_NONE }
    }
    held = wanted
  }
}
