import Basics
import Foundation
import LabFixtures
import Measuring
import Reporting
import SQLiteStorage
import Testing

@testable import Commands
@testable import HistoryLab

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite struct `The history database` {
  @Test func `A run's results are kept by benchmark, contender, size and metric`() async throws {
    try await withFolder { folder in
      let run = try Night(folder).bench("one", ours: 1_000)
      let database = try HistoryDatabase(writing: folder + "/history.sqlite")
      #expect(try database.add(FinishedRun(folder: run)))
      let allSeries = try database.allSeries()
      let rows = Set(allSeries.map { "\($0.row.contender) \($0.row.metric)" })
      #expect(rows == ["Store wall", "Store wall ratio", "raw SQLite in C wall"])
      let wall = try #require(
        allSeries.first { $0.row.contender == "Store" && $0.row.unit == "ns" }
      )
      #expect(wall.row.historySize == 1_000 && wall.row.title == "fetch newest 100, warm")
      #expect(wall.points.map(\.median) == [1_000])
      #expect(wall.points.first?.commit == "abc")
    }
  }

  @Test func `Adding a folder again adds no run, and its parent folder finds it`() async throws {
    try await withFolder { folder in
      let night = Night(folder + "/runs")
      _ = try night.bench("one", ours: 1_000)
      _ = try night.bench("deeper/two", ours: 1_010, day: 2)
      let history = folder + "/history.sqlite"
      let words = ["history", "add", folder + "/runs", "--history", history]
      #expect(await run(words).output == "\(history): 2 runs added, 0 were there already\n")
      let before = try dump(history)
      #expect(await run(words).output == "\(history): 0 runs added, 2 were there already\n")
      #expect(try dump(history) == before)
    }
  }

  @Test func `An incomplete run is left out and reported`() async throws {
    try await withFolder { folder in
      _ = try Night(folder + "/runs").bench("one", ours: 1, verdict: nil)
      let result = await run(["history", "add", folder + "/runs", "--history", folder + "/h.db"])
      #expect(result.code == .undecided)
      #expect(result.errors.contains("has not finished"))
      #expect(try HistoryDatabase(reading: folder + "/h.db").runs().isEmpty)
    }
  }

  @Test(arguments: [
    ("{", "it is not JSON"), ("{}", "the key check is missing"),
    (#"{"check": "1"}"#, "the value at check is of another type"),
  ])
  func `A damaged file of a run is reported in a message`(
    text: String,
    reason: String
  ) async throws {
    try await withFolder { folder in
      let path = try Night(folder + "/runs").bench("one", ours: 1_000)
      try makeFile(path + "/check.json", text)
      let added = await run(["history", "add", folder + "/runs", "--history", folder + "/h.db"])
      #expect(added.code == .undecided)
      #expect(
        added.errors.contains("cannot be read as a file of a run: \(reason)."),
        "\(added.errors)"
      )
      let report = await run(["report", "--output", folder + "/runs"])
      #expect(report.code == .good)
      #expect(
        report.errors.contains("cannot be read as a file of a run: \(reason)."),
        "\(report.errors)"
      )
    }
  }

  @Test(arguments: ["run", "check"])
  func `A file by a newer program is refused with its version`(document: String) async throws {
    try await withFolder { folder in
      let runs = folder + "/runs"
      _ = await run(["check", "--plans", "2", "--seed", "1", "--output", runs])
      let path = "\(folder)/latest/\(document).json"
      let text = try String(contentsOfFile: path, encoding: .utf8)
      let newer = text.replacing("\"\(document)\" : 1", with: "\"\(document)\" : 2")
      #expect(newer != text)
      try makeFile(path, newer)
      let added = await run(["history", "add", runs, "--history", folder + "/h.db"])
      #expect(added.code == .undecided)
      let reason = "a \(document) of version 2; this program reads version 1."
      #expect(added.errors.contains(reason), "\(added.errors)")
      let report = await run(["report", "--output", runs])
      #expect(report.code == .usage)
      #expect(report.errors.contains(reason), "\(report.errors)")
    }
  }

  @Test(arguments: [
    ("mutants", "a run of the mutants"), ("cards", "safety cards"), ("stress", "a stress run"),
  ])
  func `A newer version is refused before the rest of the file is read`(
    document: String,
    title: String
  ) async throws {
    try await withFolder { folder in
      let path = try Night(folder + "/runs").bench("one", ours: 1_000)
      try makeFile("\(path)/\(document).json", #"{"\#(document)": 2, "systems": {}}"#)
      let reason = "\(title) of version 2; this program reads version 1."
      let added = await run(["history", "add", folder + "/runs", "--history", folder + "/h.db"])
      #expect(added.code == .undecided)
      #expect(added.errors.contains(reason), "\(added.errors)")
      let report = await run(["report", "--output", folder + "/runs"])
      #expect(report.code == .good)
      #expect(report.errors.contains(reason), "\(report.errors)")
    }
  }

  @Test func `A process killed while adding a run leaves no part of it`() async throws {
    try await withFolder { folder in
      let night = Night(folder + "/runs")
      let first = try night.bench("one", ours: 1_000)
      let second = try night.bench("two", ours: 1_010, day: 2)
      let history = folder + "/history.sqlite"
      try HistoryDatabase(writing: history).add(FinishedRun(folder: first))
      let before = try dump(history)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [history = history as String, second = second as String] in
        let run = try FinishedRun(folder: second)
        try HistoryDatabase(writing: history).write { (connection) throws(SQLiteError) in
          try connection.execute("PRAGMA cache_size=1; PRAGMA cache_spill=1")
          try connection.execute("INSERT INTO facts VALUES(1, 'x', '\(run.name)', 1)")
          try connection.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) "
              + "INSERT INTO facts SELECT 1, 'x', i, 1 FROM n"
          )
          kill(getpid(), SIGKILL)
        }
      }
      #expect(try dump(history) == before)
      #expect(try HistoryDatabase(writing: history).add(FinishedRun(folder: second)))
      #expect(try HistoryDatabase(reading: history).runs().map(\.name) == ["one", "two"])
    }
  }

  @Test func `A newer program's database is refused with a message`() async throws {
    try await withFolder { folder in
      let history = folder + "/history.sqlite"
      try HistoryDatabase(writing: history).write { (connection) throws(SQLiteError) in
        try connection.execute("PRAGMA user_version = 99")
      }
      let result = await run(["history", "list", "--history", history])
      #expect(result.code == .usage)
      #expect(
        result.errors.contains("written by a newer history-lab: its tables have version 99")
      )
    }
  }

  @Test(arguments: [
    "not a database, but a text that is long enough to be read as a header....", "",
  ])
  func `A file that is not a database is refused, and an empty one is initialized`(
    text: String
  ) async throws {
    try await withFolder { folder in
      let file = folder + "/file"
      try makeFile(file, text)
      let result = await run(["history", "list", "--history", file])
      #expect(result.code == (text.isEmpty ? .good : .usage))
      if !text.isEmpty { #expect(result.errors.contains("is not a database of results")) }
    }
  }

  @Test func `A damaged file is refused by every verb that names it`() async throws {
    try await withFolder { folder in
      _ = try Night(folder + "/runs").bench("one", ours: 1_000)
      let history = folder + "/h.db"
      _ = await run(["history", "add", folder + "/runs", "--history", history])
      let whole = try Data(contentsOf: URL(fileURLWithPath: history))
      for words in [
        ["history", "list"], ["history", "add", folder + "/runs"], ["report", "trend"],
      ] {
        let damaged = folder + "/\(words[1]).db"
        try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: damaged))
        let result = await run(words + ["--history", damaged])
        #expect(result.code == .usage, "\(words)")
        #expect(result.errors.contains("is damaged. Restore it from a copy"), "\(result.errors)")
      }
    }
  }

  @Test func `A database of another application is left unchanged`() async throws {
    try await withFolder { folder in
      let file = folder + "/other.sqlite"
      try Connection(path: file).execute("CREATE TABLE t(x)")
      let before = try Data(contentsOf: URL(fileURLWithPath: file))
      #expect(throws: LabError.self) { try HistoryDatabase(writing: file) }
      #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
    }
  }

  @Test func `A step in our costs is reported with its night and changes the exit code`()
    async throws
  {
    try await withFolder { folder in
      let night = Night(folder + "/runs")
      var noise = SplitMix64(seed: 4)
      for day in 1...28 {
        let cost = (day < 25 ? 1_000 : 1_040) * (1 + 0.01 * (noise.unit() - 0.5))
        _ = try night.bench("night-\(day)", ours: cost, day: day)
      }
      let history = folder + "/h.db"
      _ = await run(["history", "add", folder + "/runs", "--history", history])
      let result = await run(["report", "trend", "--history", history])
      #expect(result.code == .violation)
      #expect(result.output.contains("2026-01-25 00:00 UTC"))
      #expect(result.output.contains("1 step in 1 row over 28 runs, 1 of them to a higher cost."))
      let json = await run(["report", "trend", "--history", history, "--json"]).output
      let document = try JSONDecoder().decode(TrendDocument.self, from: Data(json.utf8))
      #expect(document.steps.map(\.metric) == ["wall ratio"])
      let old = await run(["report", "trend", "--history", history, "--fresh", "2"])
      #expect(old.code == .good)
    }
  }

  @Test func `Varying rows are not kept, and earlier ones are not judged`() async throws {
    try await withFolder { folder in
      let night = Night(folder + "/runs")
      for day in 1...6 {
        let run = try night.bench("night-\(day)", ours: 1_000, day: day)
        try addGrowth(day < 5 ? 4_096 : 8_192, to: run)
      }
      let history = folder + "/h.db"
      _ = await run(["history", "add", folder + "/runs", "--history", history])
      let database = try HistoryDatabase(writing: history)
      #expect(try database.allSeries().allSatisfy { $0.row.metric != "resident growth" })
      // In the form of an earlier version.
      try database.write { (connection) throws(SQLiteError) in
        try connection.execute(
          """
          INSERT INTO figures
          SELECT run, 'fetch newest 100, warm', 'Store', 1000, 'resident growth', 'exact', 'B',
            CASE WHEN run < 5 THEN 4096 ELSE 8192 END, NULL, NULL, 1
          FROM runs
          """
        )
      }
      let result = await run(["report", "trend", "--history", history])
      #expect(result.code == .good)
      #expect(result.output == "No step in 1 row over 6 runs.\n")
    }
  }

  /// Adds a varying row to a run's results.
  private func addGrowth(_ bytes: Double, to run: String) throws {
    var results = try ResultsFile.read(path: run + "/results.json")
    var row = BenchmarkRow(
      subject: "fetch",
      operation: "newest 100",
      condition: "warm",
      contender: "Store",
      historySize: 1_000,
      metric: .residentGrowth,
      samples: [bytes],
      seed: 7
    )
    row.varies = "the system shares it out"
    results.rows.append(row)
    try makeFile(run + "/results.json", ResultsFile.json(results))
  }

  @Test func `A single run has no trend`() async throws {
    try await withFolder { folder in
      _ = try Night(folder + "/runs").bench("one", ours: 1_000)
      _ = await run(["history", "add", folder + "/runs", "--history", folder + "/h.db"])
      let result = await run(["report", "trend", "--history", folder + "/h.db"])
      #expect(result.code == .undecided)
      #expect(result.output.contains("a trend needs more runs"))
    }
  }

  @Test func `Checks and stress runs are kept as counts of verdicts`() async throws {
    try await withFolder { folder in
      let result = await run(
        ["check", "--plans", "4", "--seed", "1", "--output", folder + "/runs"]
      )
      #expect(result.code != .lab)
      let history = folder + "/h.db"
      _ = await run(["history", "add", folder + "/runs", "--history", history])
      let database = try HistoryDatabase(reading: history)
      let plans = try database.on { (connection) throws(SQLiteError) in
        try connection.integer("SELECT value FROM facts WHERE system='tracker' AND name='plans'")
      }
      #expect(plans == 4)
      let counted = try database.on { (connection) throws(SQLiteError) in
        try connection.integer("SELECT max(good + bad + unknown) FROM verdicts")
      }
      #expect(counted == 4)
    }
  }

  /// Returns the whole content of a database as text.
  private func dump(_ path: String) throws -> String {
    try HistoryDatabase(reading: path).on { (connection) throws(SQLiteError) in
      try connection.text(
        """
        SELECT group_concat(line, char(10)) FROM (
          SELECT run || name || machine || seed || verdict AS line FROM runs UNION ALL
          SELECT run || title || contender || size || metric || median FROM figures UNION ALL
          SELECT run || system || subject || good || bad || unknown FROM verdicts UNION ALL
          SELECT run || system || name || value FROM facts)
        """
      ) ?? ""
    }
  }
}
