import Measuring
import Reporting
import SQLiteStorage

extension HistoryDatabase {
  /// One run in a list.
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

  /// Returns the figures of every benchmark on every machine over time, oldest first.
  ///
  /// Debug builds are omitted.
  ///
  /// - Complexity: linear in the size of the file.
  func courses() throws(LabError) -> [TrendCourse] {
    let points = try on { (connection) throws(SQLiteError) in
      try self.points(connection)
    }
    var places: [TrendCourse.Row: Int] = [:]
    var courses: [TrendCourse] = []
    for (row, point) in points {
      if let place = places[row] {
        courses[place].points.append(point)
      } else {
        places[row] = courses.count
        courses.append(TrendCourse(row: row, points: [point]))
      }
    }
    return courses
  }

  private func points(
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> [(TrendCourse.Row, TrendCourse.Point)] {
    let statement = try Statement(
      connection,
      """
      SELECT title, contender, metric, kind, unit, machine, time, "commit", size, median, lower, upper
      FROM runs JOIN figures USING(run) WHERE optimized
      ORDER BY time, name, shard, title, size, contender, metric
      """
    )
    var points: [(TrendCourse.Row, TrendCourse.Point)] = []
    while try statement.step() {
      let texts = (0..<8).map { statement.text(Int32($0)) ?? "" }
      let row = TrendCourse.Row(
        title: texts[0],
        contender: texts[1],
        historySize: Int(statement.int(8)),
        metric: texts[2],
        kind: Metric.Kind(rawValue: texts[3]) ?? .wall,
        unit: texts[4],
        machine: texts[5]
      )
      let point = TrendCourse.Point(
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
