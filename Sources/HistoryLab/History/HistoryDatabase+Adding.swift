import Commands
import Measuring
import Reporting
import SQLiteStorage

extension HistoryDatabase {
  /// Adds a run to the database, or replaces the run if it is already stored.
  ///
  /// - Returns: `true` if the run was not stored before.
  /// - Throws: a lab error when the file cannot be written, in which case the database is unchanged.
  @discardableResult
  func add(_ run: FinishedRun) throws(LabError) -> Bool {
    var isNew = true
    try write { (connection) throws(SQLiteError) in
      let known = try self.number(of: run, connection)
      isNew = known == nil
      if let known { try self.remove(known, connection) }
      let number = try self.insert(run, as: known, connection)
      for figure in run.figures { try self.insert(figure, number, connection) }
      for verdict in run.verdicts { try self.insert(verdict, number, connection) }
      for fact in run.facts { try self.insert(fact, number, connection) }
    }
    return isNew
  }

  private func number(
    of run: FinishedRun,
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> Int64? {
    let statement = try Statement(
      connection,
      "SELECT run FROM runs WHERE name = ? AND machine = ? AND seed = ? AND shard = ?"
    )
    for (place, text) in identity(of: run).enumerated() {
      statement.bind(text, at: Int32(place + 1))
    }
    return try statement.step() ? statement.int(0) : nil
  }

  private func identity(of run: FinishedRun) -> [String] {
    let environment = run.record.environment
    let seed = "0x" + String(environment.seed, radix: 16)
    return [run.name, environment.machine, seed, run.record.shard?.description ?? ""]
  }

  private func remove(_ number: Int64, _ connection: borrowing Connection) throws(SQLiteError) {
    for table in ["figures", "verdicts", "facts", "runs"] {
      try connection.execute("DELETE FROM \(table) WHERE run = \(number)")
    }
  }

  private func insert(
    _ run: FinishedRun,
    as number: Int64?,
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> Int64 {
    let statement = try Statement(
      connection,
      """
      INSERT INTO runs(name, machine, seed, shard, verb, time, "commit", system, swift, sqlite,
        verdict, because, processors, optimized, load, run)
      VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    )
    let environment = run.record.environment
    let texts: [String?] =
      identity(of: run) + [
        run.record.verb, environment.time.description, environment.commit, environment.system,
        environment.swift, environment.sqlite, run.record.verdict ?? "", run.record.because ?? "",
      ]
    for (place, text) in texts.enumerated() { statement.bind(text, at: Int32(place + 1)) }
    statement.bind(Int64(environment.processors), at: 13)
    statement.bind(Int64(environment.optimized ? 1 : 0), at: 14)
    bind(environment.load, statement, at: 15)
    if let number { statement.bind(number, at: 16) } else { statement.bindNull(at: 16) }
    try statement.run()
    return connection.lastInsertedKey
  }

  private func insert(
    _ figure: FinishedRun.Figure,
    _ number: Int64,
    _ connection: borrowing Connection
  ) throws(SQLiteError) {
    // If a row was measured twice, the later row replaces the earlier one.
    let statement = try Statement(
      connection,
      """
      INSERT OR REPLACE INTO figures(run, title, contender, metric, kind, unit, size, median,
        lower, upper, samples)
      VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    )
    statement.bind(number, at: 1)
    let texts = [
      figure.title, figure.contender, figure.metric, figure.kind.rawValue, figure.unit,
    ]
    for (place, text) in texts.enumerated() { statement.bind(text, at: Int32(place + 2)) }
    statement.bind(Int64(figure.historySize), at: 7)
    statement.bind(figure.median, at: 8)
    bind(figure.lower, statement, at: 9)
    bind(figure.upper, statement, at: 10)
    statement.bind(Int64(figure.samples), at: 11)
    try statement.run()
  }

  private func insert(
    _ verdict: FinishedRun.Verdict,
    _ number: Int64,
    _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let statement = try Statement(
      connection,
      "INSERT OR REPLACE INTO verdicts(run, system, subject, good, bad, unknown) "
        + "VALUES(?, ?, ?, ?, ?, ?)"
    )
    statement.bind(number, at: 1)
    statement.bind(verdict.system, at: 2)
    statement.bind(verdict.subject, at: 3)
    statement.bind(Int64(verdict.good), at: 4)
    statement.bind(Int64(verdict.bad), at: 5)
    statement.bind(Int64(verdict.unknown), at: 6)
    try statement.run()
  }

  private func insert(
    _ fact: FinishedRun.Fact,
    _ number: Int64,
    _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let statement = try Statement(
      connection,
      "INSERT OR REPLACE INTO facts(run, system, name, value) VALUES(?, ?, ?, ?)"
    )
    statement.bind(number, at: 1)
    statement.bind(fact.system, at: 2)
    statement.bind(fact.name, at: 3)
    statement.bind(fact.value, at: 4)
    try statement.run()
  }

  private func bind(_ value: Double?, _ statement: borrowing Statement, at place: Int32) {
    if let value { statement.bind(value, at: place) } else { statement.bindNull(at: place) }
  }
}
