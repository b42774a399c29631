internal import CSQLite

/// SQLite's extended I/O error codes (https://sqlite.org/rescode.html), which C defines as
/// expressions that Swift does not import.
enum ExtendedCode {
  static let shortRead = SQLITE_IOERR | 2 << 8
  static let deleteNoEntry = SQLITE_IOERR | 23 << 8
  static let sharedMemorySize = SQLITE_IOERR | 19 << 8
}
