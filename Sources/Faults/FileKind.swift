internal import CSQLite

/// What a file is to SQLite: the part of a store that a call reads, writes or locks.
///
/// The raw value indexes the tables of counters; `name` is what plans and reports write.
package enum FileKind: Int, CaseIterable, Sendable, Hashable {
  /// The database itself.
  case main
  /// The write-ahead log.
  case wal
  /// The shared memory of the write-ahead log: its index and its locks.
  case shm
  /// A rollback journal, of a database, a statement or several databases.
  case journal
  /// A temporary database or a sorter's file: it has no path and no second reader.
  case temporary

  /// The word for it in plans, traces and reports.
  package var name: String { "\(self)" }

  /// Names the kind that a word in a plan stands for; nil if it stands for none.
  package init?(name: String) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }

  /// Tells the kind from the flags of an open (https://sqlite.org/c3ref/c_open_autoproxy.html).
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

  /// Tells the kind from a path, for the calls that carry no flags.
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
