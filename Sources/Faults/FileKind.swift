internal import CSQLite

/// The role of a file in a store.
///
/// The raw value is an index into the tables of counters; plans and reports write `name`.
package enum FileKind: Int, CaseIterable, Sendable, Hashable {
  /// The database.
  case main
  /// The write-ahead log.
  case wal
  /// The shared memory of the write-ahead log: its index and its locks.
  case shm
  /// A rollback journal, of a database, a statement or several databases.
  case journal
  /// A temporary database or sorter file, which has no path and is used by one connection.
  case temporary

  /// The name of the kind in plans, traces and reports.
  package var name: String { "\(self)" }

  /// Creates the kind that a plan names, or `nil` if there is none of that name.
  package init?(name: String) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }

  /// Returns the kind for the flags of an open (https://sqlite.org/c3ref/c_open_autoproxy.html).
  init(openFlags flags: Int32) {
    let journals = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_SUBJOURNAL
    if flags & SQLITE_OPEN_MAIN_DB != 0 {
      self = .main
    } else if flags & SQLITE_OPEN_WAL != 0 {
      self = .wal
    } else if flags & journals != 0 {
      self = .journal
    } else {
      self = .temporary
    }
  }

  /// Returns the kind for a path, used by calls without flags.
  init(path: String) {
    if path.hasSuffix("-wal") {
      self = .wal
    } else if path.hasSuffix("-journal") {
      self = .journal
    } else {
      self = .main
    }
  }
}
