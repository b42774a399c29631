import Basics
import Commands
import Measuring
import Reporting
import SQLiteStorage

/// A SQLite file with the results of earlier runs, from which trends are computed.
///
/// Each run is written in one transaction, so a crash never leaves a run partly written. Adding a
/// run again replaces the stored run.
final class HistoryDatabase {
  /// The version of the schema that this build writes.
  static var schemaVersion: Int64 { Int64(schemas.count) }
  /// The value of `PRAGMA application_id` in results databases: "HLAB".
  static let applicationID: Int64 = 0x484C_4142

  let path: String
  let connection: Connection

  /// Opens a database for writing; creates the file or updates its schema if necessary.
  ///
  /// - Throws: a usage error when the file is not a results database, is damaged, or was written by a
  ///   newer version; a lab error when it cannot be read or written.
  convenience init(writing path: String) throws(LabError) {
    try self.init(path: path, access: .create)
  }

  /// Opens an existing database for reading, and updates its schema if necessary.
  ///
  /// - Throws: a usage error when the file does not exist, and all errors of `init(writing:)`.
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

  /// Calls a closure with the connection, and adds the file's name to an error that the closure throws.
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
        "--history: the results' database \(path.quoted) is damaged. Restore it from a copy, or "
          + "choose another file and add the runs again."
      )
    default: .lab("the results' database \(path.quoted) cannot be used: \(error.description)")
    }
  }

  private static func foreign(_ path: String) -> LabError {
    .usage("--history: \(path.quoted) is not a database of results. Choose another file.")
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
        "--history: \(path.quoted) was written by a newer history-lab: its tables have version "
          + "\(version), and this program reads version \(Self.schemaVersion). Use the newer "
          + "history-lab, or choose another file."
      )
    }
    guard version < Self.schemaVersion else { return }
    try write { (connection) throws(SQLiteError) in
      for schema in Self.schemas[Int(version)...] { try connection.execute(schema) }
      try connection.execute("PRAGMA application_id = \(Self.applicationID)")
      try connection.execute("PRAGMA user_version = \(Self.schemaVersion)")
    }
  }

  /// The statements that upgrade the schema, one element for each version.
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

extension HistoryDatabase {
  /// One run in the list that `history list` shows.
  struct RunLine: Hashable, Encodable {
    let name: String
    let verb: String
    let time: String
    let commit: String?
    let machine: String
    let verdict: String
    let because: String
    let figures: Int
    let verdicts: Int
  }

  /// Returns all runs, oldest first.
  ///
  /// - Complexity: linear in the size of the file.
  func runs() throws(LabError) -> [RunLine] {
    try on { (connection) throws(SQLiteError) in
      let statement = try Statement(
        connection,
        """
        SELECT name, verb, time, "commit", machine, verdict, because,
          (SELECT count(*) FROM figures WHERE figures.run = runs.run),
          (SELECT count(*) FROM verdicts WHERE verdicts.run = runs.run)
        FROM runs ORDER BY time, name, shard
        """
      )
      var runs: [RunLine] = []
      while try statement.step() {
        let texts = (0..<7).map { statement.text(Int32($0)) }
        runs.append(
          RunLine(
            name: texts[0] ?? "",
            verb: texts[1] ?? "",
            time: texts[2] ?? "",
            commit: texts[3],
            machine: texts[4] ?? "",
            verdict: texts[5] ?? "",
            because: texts[6] ?? "",
            figures: Int(statement.int(7)),
            verdicts: Int(statement.int(8))
          )
        )
      }
      return runs
    }
  }

  /// Returns a trend for each benchmark value and machine: the value in each run that has it, oldest first.
  ///
  /// Values of debug builds are omitted.
  ///
  /// - Complexity: linear in the size of the file.
  func allSeries() throws(LabError) -> [TrendSeries] {
    let points = try on { (connection) throws(SQLiteError) in
      try self.points(connection)
    }
    var places: [TrendSeries.Row: Int] = [:]
    var allSeries: [TrendSeries] = []
    for (row, point) in points {
      if let place = places[row] {
        allSeries[place].points.append(point)
      } else {
        places[row] = allSeries.count
        allSeries.append(TrendSeries(row: row, points: [point]))
      }
    }
    return allSeries
  }

  private func points(
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> [(TrendSeries.Row, TrendSeries.Point)] {
    let statement = try Statement(
      connection,
      """
      SELECT title, contender, metric, kind, unit, machine, time, "commit", size, median, lower, upper
      FROM runs JOIN figures USING(run) WHERE optimized
      ORDER BY time, name, shard, title, size, contender, metric
      """
    )
    var points: [(TrendSeries.Row, TrendSeries.Point)] = []
    while try statement.step() {
      let texts = (0..<8).map { statement.text(Int32($0)) ?? "" }
      let row = TrendSeries.Row(
        title: texts[0],
        contender: texts[1],
        historySize: Int(statement.int(8)),
        metric: texts[2],
        kind: Metric.Kind(rawValue: texts[3]) ?? .wall,
        unit: texts[4],
        machine: texts[5]
      )
      let point = TrendSeries.Point(
        time: UTCTime(texts[6]) ?? UTCTime(secondsSince1970: 0),
        commit: texts[7].isEmpty ? nil : texts[7],
        median: statement.real(9),
        lower: statement.isNull(10) ? nil : statement.real(10),
        upper: statement.isNull(11) ? nil : statement.real(11)
      )
      points.append((row, point))
    }
    return points
  }
}
