import SQLiteStorage

/// A SQLite file with the results of earlier runs, from which trends are computed.
///
/// Every run is written in one transaction, so a crash leaves either all of it or none of it.
/// Adding a run again replaces it.
final class HistoryDatabase {
  /// The version of the schema that this program writes.
  static var schemaVersion: Int64 { Int64(schemas.count) }
  /// The `PRAGMA application_id` that identifies such files: "HLAB".
  static let applicationID: Int64 = 0x484C_4142

  let path: String
  let connection: Connection

  /// Opens a file for writing, and creates it or updates its schema if necessary.
  ///
  /// - Throws: a usage error when the file is another kind of file, is damaged or was written by a
  ///   newer program; a lab error when it cannot be read or written.
  convenience init(writing path: String) throws(LabError) {
    try self.init(path: path, access: .create)
  }

  /// Opens an existing file for reading, and updates its schema if necessary.
  ///
  /// - Throws: a usage error when the file does not exist, and the errors of `init(writing:)`.
  convenience init(reading path: String) throws(LabError) {
    try FilePath.checkReadable(path, for: "--history")
    try self.init(path: path, access: .readWrite)
  }

  private init(path: String, access: ConnectionOptions.Access) throws(LabError) {
    var options = ConnectionOptions()
    options.access = access
    options.synchronous = .full
    options.cacheSizeKiB = 8_192
    self.path = path
    do throws(SQLiteError) {
      connection = try Connection(path: path, options)
    } catch { throw Self.failure(error, path) }
    try bringUpToDate()
  }

  /// Calls a closure with the connection; its errors name the file.
  func on<Answer>(
    _ body: (borrowing Connection) throws(SQLiteError) -> Answer
  ) throws(LabError) -> Answer {
    do throws(SQLiteError) { return try body(connection) } catch {
      throw Self.failure(error, path)
    }
  }

  /// Calls a closure in one transaction, which is rolled back if the closure throws.
  func write(_ body: (borrowing Connection) throws(SQLiteError) -> Void) throws(LabError) {
    try on { (connection) throws(SQLiteError) in
      try connection.execute("BEGIN IMMEDIATE")
      do throws(SQLiteError) {
        try body(connection)
        try connection.execute("COMMIT")
      } catch {
        connection.rollBack()
        throw error
      }
    }
  }

  private static func failure(_ error: SQLiteError, _ path: String) -> LabError {
    switch error.cause {
    case .notADatabase: foreign(path)
    case .corrupt:
      .usage(
        "--history: the results' database \(path.quoted) is damaged. Restore it from a copy, or name "
          + "another file and add the runs again."
      )
    default: .lab("the results' database \(path.quoted) cannot be used: \(error.description)")
    }
  }

  private static func foreign(_ path: String) -> LabError {
    .usage("--history: \(path.quoted) is not a database of results. Name another file.")
  }
}

extension HistoryDatabase {
  private func bringUpToDate() throws(LabError) {
    let (version, application, tables) = try on { (connection) throws(SQLiteError) in
      (
        try connection.integer("PRAGMA user_version") ?? 0,
        try connection.integer("PRAGMA application_id") ?? 0,
        try connection.integer("SELECT count(*) FROM sqlite_master") ?? 0
      )
    }
    guard application == Self.applicationID || tables == 0 else { throw Self.foreign(path) }
    guard version <= Self.schemaVersion else {
      throw .usage(
        "--history: \(path.quoted) was written by a newer history-lab: its tables are of version "
          + "\(version), and this one knows version \(Self.schemaVersion). Use that program, or name "
          + "another file."
      )
    }
    guard version < Self.schemaVersion else { return }
    try write { (connection) throws(SQLiteError) in
      for schema in Self.schemas[Int(version)...] { try connection.execute(schema) }
      try connection.execute("PRAGMA application_id = \(Self.applicationID)")
      try connection.execute("PRAGMA user_version = \(Self.schemaVersion)")
    }
  }

  /// The statements that create each version of the schema from the one before it.
  private static let schemas = [
    """
    CREATE TABLE runs(
      run INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      machine TEXT NOT NULL,
      seed TEXT NOT NULL,
      shard TEXT NOT NULL,
      verb TEXT NOT NULL,
      time TEXT NOT NULL,
      "commit" TEXT,
      system TEXT NOT NULL,
      processors INTEGER NOT NULL,
      swift TEXT NOT NULL,
      sqlite TEXT NOT NULL,
      optimized INTEGER NOT NULL,
      load REAL,
      verdict TEXT NOT NULL,
      because TEXT NOT NULL,
      UNIQUE(name, machine, seed, shard)
    );
    CREATE INDEX runs_by_time ON runs(time);
    CREATE TABLE figures(
      run INTEGER NOT NULL REFERENCES runs(run),
      title TEXT NOT NULL,
      contender TEXT NOT NULL,
      size INTEGER NOT NULL,
      metric TEXT NOT NULL,
      kind TEXT NOT NULL,
      unit TEXT NOT NULL,
      median REAL NOT NULL,
      lower REAL,
      upper REAL,
      samples INTEGER NOT NULL,
      PRIMARY KEY(run, title, contender, size, metric)
    ) WITHOUT ROWID;
    CREATE TABLE verdicts(
      run INTEGER NOT NULL REFERENCES runs(run),
      system TEXT NOT NULL,
      subject TEXT NOT NULL,
      good INTEGER NOT NULL,
      bad INTEGER NOT NULL,
      unknown INTEGER NOT NULL,
      PRIMARY KEY(run, system, subject)
    ) WITHOUT ROWID;
    CREATE TABLE facts(
      run INTEGER NOT NULL REFERENCES runs(run),
      system TEXT NOT NULL,
      name TEXT NOT NULL,
      value REAL NOT NULL,
      PRIMARY KEY(run, system, name)
    ) WITHOUT ROWID;
    """
  ]
}
