import CSQLite

/// An error of SQLite: its code, its message and the statement, without bound values.
///
/// Codes: https://sqlite.org/rescode.html
@usableFromInline
package struct SQLiteError: Error, Hashable, Sendable {
  /// The causes of errors that callers distinguish.
  package enum Cause: String, Sendable, Hashable {
    /// Another connection held the lock until the timeout, or repeatedly acquired it first.
    case busy
    /// The disk or the quota is full.
    case full
    /// Reading or writing the file failed.
    case io
    /// The file is damaged.
    case corrupt
    /// The file is not an SQLite database.
    case notADatabase
    /// The system denies access to the file, because it is protected while the device is locked.
    case unavailable
    /// The file or its folder is not writable.
    case readOnly
    /// The file cannot be opened or created.
    case cannotOpen
    /// A row violates a constraint of the schema.
    case constraint
    /// Memory ran out.
    case noMemory
    /// Any cause that no other case describes; see the result code.
    case other
  }

  /// The extended result code.
  package let code: Int32
  /// The error message of SQLite, or of this library.
  package let message: String
  /// The statement that failed.
  ///
  /// If no statement failed: the path of a file that could not be opened, the name of a table or
  /// function that could not be registered, or a short description such as `checkpoint`.
  package let sql: String

  /// Creates an error from a result code.
  package init(code: Int32, message: String, sql: String) {
    self.code = code
    self.message = message
    self.sql = sql
  }

  /// Creates an error from a connection's last failure.
  package init(_ handle: OpaquePointer?, code: Int32, sql: String) {
    let words = handle.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
    self.init(
      code: handle.map { sqlite3_extended_errcode($0) } ?? code,
      message: words.map { String(cString: $0) } ?? "unknown error",
      sql: sql
    )
  }

  /// The cause of the error, derived from the result code.
  package var cause: Cause {
    switch code & 0xff {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
    case SQLITE_FULL: .full
    case SQLITE_IOERR: .io
    case SQLITE_CORRUPT: .corrupt
    case SQLITE_NOTADB: .notADatabase
    case SQLITE_READONLY, SQLITE_PERM: .readOnly
    case SQLITE_CANTOPEN: .cannotOpen
    case SQLITE_CONSTRAINT: .constraint
    case SQLITE_NOMEM: .noMemory
    // Apple's systems return this code for files that are protected while the device is locked.
    case SQLITE_AUTH: .unavailable
    default: .other
    }
  }

  /// Whether the statement was interrupted.
  package var isInterruption: Bool { code & 0xff == SQLITE_INTERRUPT }

  /// Whether the SQL does not match the schema, or is invalid.
  package var isOfSchema: Bool { code & 0xff == SQLITE_ERROR || code & 0xff == SQLITE_SCHEMA }
}

extension SQLiteError: CustomStringConvertible {
  /// A sentence with SQLite's message, the result code and the statement.
  package var sentence: String {
    "SQLite reports \"\(message)\" (code \(code)) at: \(sql)."
  }

  /// A sentence that says what to do, or `nil` if there is no suggestion.
  package var suggestion: String? {
    switch cause {
    case .busy: "Another process is writing; try again, or wait longer for the lock."
    case .full: "Free some space and try again; nothing was written."
    case .io: "The disk could not be read or written; check it and try again."
    case .corrupt: "The file is damaged; restore it from a copy."
    case .notADatabase: "Check the path: the file is not an SQLite database, or it is encrypted."
    case .unavailable:
      "The file is protected while the device is locked; try again after it is unlocked."
    case .readOnly: "Check the permissions of the file and its folder."
    case .cannotOpen: "Check that the folder exists and can be written."
    case .constraint, .noMemory, .other: nil
    }
  }

  /// The sentence, followed by the suggestion if there is one.
  @usableFromInline package var description: String {
    sentence + (suggestion.map { " " + $0 } ?? "")
  }
}
