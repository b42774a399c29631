internal import CSQLite

/// SQLite's extended I/O error codes (https://sqlite.org/rescode.html).
///
/// C defines them as expressions that Swift does not import.
enum ExtendedCode {
  static let shortRead = SQLITE_IOERR | 2 << 8
  static let sharedMemorySize = SQLITE_IOERR | 19 << 8
  /// Not a code of SQLite: the result of a sync that is recorded but not performed.
  static let delayed = SQLITE_IOERR | 255 << 8
  static let deleteNoEntry = SQLITE_IOERR | 23 << 8

  /// Returns the code that `os_unix.c` returns for a failed call, or `nil` if it never fails.
  static func failure(of call: FileCall, on file: FileKind) -> Int32? {
    switch call {
    case .open: SQLITE_CANTOPEN
    case .delete: SQLITE_IOERR | 10 << 8
    case .access: SQLITE_IOERR | 13 << 8
    case .read: SQLITE_IOERR | 1 << 8
    case .write: SQLITE_IOERR | 3 << 8
    case .truncate: SQLITE_IOERR | 6 << 8
    case .sync: SQLITE_IOERR | 4 << 8
    case .size: SQLITE_IOERR | 7 << 8
    case .lock: file == .shm ? SQLITE_IOERR | 20 << 8 : SQLITE_IOERR | 15 << 8
    case .unlock: nil
    case .checkLock: SQLITE_IOERR | 14 << 8
    case .map: SQLITE_IOERR | 21 << 8
    }
  }
}
