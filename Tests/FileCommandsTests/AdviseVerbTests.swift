import Foundation
import HistoryStore
import LabFixtures
import SQLiteStorage
import Testing

@testable import Commands
@testable import FileCommands
@testable import HistoryLab

/// The verb `advise`, from the command line to the printed answer and the exit code.
@Suite struct `The verb advise` {
  private static let cursors = #"""
    [{"name": "app", "token": 60}, {"name": "widget", "date": "2001-01-16T00:00:00Z"}]
    """#

  /// Runs a closure with a folder that contains a store of forty days and a file of cursors.
  private func withStore(
    _ body: (_ folder: String, _ file: String) async throws -> Void
  ) async throws {
    try await withFolder { folder in
      try AdviceFile.make(AdviceFile.fortyDays, at: "\(folder)/a.sqlite")
      try makeFile("\(folder)/c.json", Self.cursors)
      try await body(folder, "\(folder)/a.sqlite")
    }
  }

  @Test func `The text begins with the unknown facts and ends with the verdict`() async throws {
    try await withStore { _, file in
      let result = await run(["advise", file])
      #expect(result.code == .violation && result.errors == "")
      let parts = [
        "Not known:", "which consumers read this history", "What history costs", "authors",
        "entities", "attributes", "test conditions", "Consumers", "What if: a purge of",
        "Replayed over the past", "Times: not measured", "Verdict:",
      ]
      let places = parts.map { result.output.firstRange(of: $0)?.lowerBound }
      #expect(places.allSatisfy { $0 != nil }, "\(zip(parts, places).filter { $0.1 == nil })")
      #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
      #expect(result.output.contains("PRAGMA incremental_vacuum (auto_vacuum is incremental)"))
      #expect(result.output.contains("134301"))
    }
  }

  @Test func `Cursors and a planned purge decide the exit code`() async throws {
    try await withStore { folder, file in
      let lost = await run([
        "advise", file, "--cursors", "\(folder)/c.json", "--older-than", "7",
      ])
      #expect(lost.code == .violation)
      #expect(lost.output.contains("older than 7 days: widget loses"))
      let kept = await run([
        "advise", file, "--cursors", "\(folder)/c.json", "--older-than", "30",
      ])
      #expect(kept.code == .good, "\(kept.output)")
      let unknown = await run(["advise", file, "--older-than", "30"])
      #expect(unknown.code == .undecided)
      #expect(
        unknown.output.contains("Give the consumers and their positions with --cursors FILE.")
      )
    }
  }

  @Test
  func `The table of purges names who is unknown, and that of consumers who holds history back`()
    async throws
  {
    try await withFolder { folder in
      let file = "\(folder)/a.sqlite"
      let mirror = StatedTransaction("NSCloudKitMirroringDelegate.import", 39.7)
      let share = StatedTransaction("share", 39.8)
      try AdviceFile.make(AdviceFile.fortyDays + [mirror, share], at: file)
      try makeFile(
        "\(folder)/c.json",
        #"[{"name": "app", "token": 62}, {"name": "widget", "token": 12}, {"name": "watch", "unknown": true}]"#
      )
      let words = ["advise", file, "--cursors", "\(folder)/c.json"]
      let page = "\(folder)/advice.html"
      let result = await run(words + ["--html", page])
      let output = result.output
      #expect(output.contains("unknown: watch, CloudKit mirror, share"), "\(output)")
      #expect(output.contains("widget; unknown: watch, CloudKit mirror, share"))
      #expect(!output.contains("none that is known"))
      #expect(output.contains("known, holds back 50 transactions"))
      #expect(!output.contains("every purge stops at"))
      #expect(output.contains("2001-02-09T12:00:00.000Z"), "the widget's last write")
      let html = try String(contentsOfFile: page, encoding: .utf8)
      #expect(html.contains("unknown: watch, CloudKit mirror, share"))
      #expect(html.contains("known, holds back 50 transactions"))
    }
  }

  @Test func `JSON has the same figures and the exit code`() async throws {
    try await withStore { folder, file in
      let result = await run([
        "advise", file, "--json", "--cursors", "\(folder)/c.json", "--older-than", "7", "--keep",
        "10",
      ])
      let decoded = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
      let json = try #require(decoded as? [String: Any])
      let verdict = try #require(json["verdict"] as? [String: Any])
      #expect(verdict["exitCode"] as? Int == 1 && verdict["state"] as? String == "loses")
      let purges = try #require(json["purges"] as? [[String: Any]])
      #expect(
        purges.map { $0["purge"] as? String } == [
          "older than 1 day", "older than 3 days", "older than 7 days", "older than 14 days",
          "older than 30 days", "older than 90 days", "merged by all known consumers",
          "all but the newest 10",
        ]
      )
      #expect(purges.last?["transactions"] as? Int == 50)
      let cost = try #require(json["cost"] as? [String: Any])
      #expect(cost["transactions"] as? Int == 60 && cost["changes"] as? Int == 120)
      let consumers = try #require(json["consumers"] as? [[String: Any]])
      #expect(consumers.map { $0["name"] as? String } == ["app", "widget"])
    }
  }

  @Test func `A page has the charts, needs no network and never replaces the store`() async throws {
    try await withStore { folder, file in
      let page = "\(folder)/advice.html"
      let result = await run(["advise", file, "--cursors", "\(folder)/c.json", "--html", page])
      #expect(result.code == .violation)
      let html = try String(contentsOfFile: page, encoding: .utf8)
      #expect(html.components(separatedBy: "<svg role").count == 4)
      #expect(html.contains("Not known") && html.contains("What if") && html.contains("Verdict"))
      #expect(!html.contains("http://") && !html.contains("https://"))
      for path in [file, file + "-wal", "\(folder)/./a.sqlite", "\(folder)/c.json"] {
        let refused = await run(["advise", file, "--cursors", "\(folder)/c.json", "--html", path])
        #expect(refused.code == .usage, "\(path)")
        #expect(refused.errors.contains("would overwrite an input file. Choose another file"))
      }
    }
  }

  @Test func `A file is read with its live log, and the folder does not change`()
    async throws
  {
    try await withStore { folder, file in
      let writer = try Connection(path: file)
      try writer.turnOnLog()
      try writer.execute(
        "INSERT INTO ATRANSACTION(Z_PK, ZAUTHORTS, ZTIMESTAMP) VALUES(61, 1, 3456000)"
      )
      let before = try contents(folder)
      let result = await run(["advise", file, "--measure"])
      #expect(result.output.contains("61 transactions, 120 changes"))
      #expect(result.output.contains("Measured on a private copy"))
      #expect(try contents(folder) == before)
      #expect(try writer.integer("SELECT count(*) FROM ATRANSACTION") == 61)
    }
  }

  private func contents(_ folder: String) throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return try Dictionary(
      uniqueKeysWithValues: names.filter { !$0.hasSuffix("-shm") }.map { name in
        (name, try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")))
      }
    )
  }

  @Test func `Measured purges have the forecast numbers of transactions`() async throws {
    try await withFolder { folder in
      let days = (0..<400).map { StatedTransaction("app", Double($0) / 10, 20) }
      let file = "\(folder)/a.sqlite"
      try AdviceFile.make(days, at: file)
      let result = await run(["advise", file, "--measure", "--json"])
      let decoded = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
      let purges = try #require((decoded as? [String: Any])?["purges"] as? [[String: Any]])
      var measuredCount = 0
      for purge in purges where purge["transactions"] as? Int != 0 {
        let measured = try #require(purge["measured"] as? [String: Any])
        let freed = try #require(measured["freedPages"] as? Int)
        let forecast = try #require(purge["freePages"] as? Int)
        #expect(abs(freed - forecast) <= max(10, forecast / 5), "\(purge["purge"] ?? "")")
        let (before, after) = (measured["bytesBefore"] as? Int, measured["bytesAfter"] as? Int)
        #expect(try #require(after) < #require(before))
        measuredCount += 1
      }
      #expect(measuredCount == 5)
    }
  }

  // MARK: Designs

  @Test func `A design that breaks under the conditions of the file is a reason, with a plan`()
    async throws
  {
    try await withStore { folder, file in
      let page = "\(folder)/advice.html"
      let result = await runCurrent([
        "advise", file, "--design", "article", "--cursors", "\(folder)/c.json", "--html", page,
      ])
      #expect(result.code == .violation && result.errors == "", "\(result.errors)")
      #expect(result.output.contains("The design article breaks CursorProgress under steady"))
      #expect(
        result.output.contains(
          "Run: every plan of 2 actors to depth 3, and 10 random plans, under steady"
        )
      )
      #expect(result.output.contains("repair --system article --seen-in FILE"))
      let html = try String(contentsOfFile: page, encoding: .utf8)
      #expect(html.contains("The design"))
    }
  }

  @Test func `A design by age is judged by its age, and one without purges grows`() async throws {
    try await withStore { folder, file in
      let cursors = ["--cursors", "\(folder)/c.json"]
      let aged = await runCurrent(
        ["advise", file, "--design", "seven-day-purge", "--json"] + cursors
      )
      #expect(aged.output.contains("A purge of transactions older than 7 days deletes"))
      let path = "\(folder)/mine.json"
      try makeFile(
        path,
        #"{"design": 1, "name": "mine", "like": "corner", "strategy": "none", "boundByCommand": "none"}"#
      )
      let never = await runCurrent(["advise", file, "--design", path, "--json"] + cursors)
      #expect(never.code == .violation)
      #expect(never.output.contains("never purges: history grows without bound."))
    }
  }

  @Test func `A design that never purges is not repaired for repair either`() async throws {
    try await withStore { folder, file in
      let path = "\(folder)/mine.json"
      try makeFile(
        path,
        #"{"design": 1, "name": "mine", "like": "kit-2-readme", "position": "number", "#
          + #""wakes": "onSignalLaunchAndTimer"}"#
      )
      let advice = await runCurrent([
        "advise", file, "--design", path, "--cursors", "\(folder)/c.json", "--json",
      ])
      #expect(advice.code == .violation && advice.errors == "", "\(advice.errors)")
      #expect(advice.output.contains("never purges: history grows without bound."))
      let repair = await runCurrent([
        "repair", "--system", path, "--seen-in", file, "--max-changes", "0", "--plans", "10",
        "--depth", "3", "--output", folder, "--json",
      ])
      #expect(repair.code == .violation && repair.errors == "", "\(repair.errors)")
      #expect(repair.output.contains("holds under steady, but never purges."), "\(repair.output)")
    }
  }

  @Test func `A design that holds bounds the history that it purges`() async throws {
    try await withStore { folder, file in
      let path = "\(folder)/mine.json"
      try makeFile(path, #"{"design": 1, "name": "mine", "like": "corner"}"#)
      let result = await runCurrent([
        "advise", file, "--design", path, "--cursors", "\(folder)/c.json",
      ])
      #expect(result.code == .good, "\(result.output)\(result.errors)")
      #expect(result.output.contains("breaks the design \(path) under the conditions"))
    }
  }

  @Test func `An unknown design name is refused with a message`() async throws {
    try await withStore { folder, file in
      for (name, sentence) in [
        ("kit-22", "Did you mean \"kit-2\"?"), ("tracker", "is not a known design"),
        ("\(folder)/none.json", "there is no file"),
      ] {
        let result = await runCurrent(["advise", file, "--design", name])
        #expect(result.code == .usage && result.output == "")
        #expect(result.errors.contains(sentence), "\(result.errors)")
      }
    }
  }

  private func runCurrent(
    _ words: [String]
  ) async -> (code: ExitCode, output: String, errors: String) {
    var composition = Composition.current
    composition[DesignReader.self] =
      DesignJudge(scope: ExploreScope(actors: 2, depth: 3), planCount: 10).reader
    return await run(words, composition: composition)
  }

  @Test func `Wrong files get one sentence`() async throws {
    try await withFolder { folder in
      try makeFile("\(folder)/text", "no database")
      try Connection(path: "\(folder)/foreign").execute("CREATE TABLE t(a)")
      try AdviceFile.make([], at: "\(folder)/empty")
      try AdviceFile.make(AdviceFile.fortyDays, at: "\(folder)/good")
      let table = [
        ("text", [], "is not an SQLite database"), ("foreign", [], "without a history"),
        ("empty", [], "has no transaction in its history"), ("missing", [], "there is no file"),
        ("good", ["--cursors", "\(folder)/missing"], "--cursors: there is no file"),
        ("good", ["--cursors", "\(folder)/text"], "neither a JSON list nor a property list"),
        ("good", ["--cursors", folder], "is a folder, not a file"),
        ("good", ["--older-than", "x"], "--older-than takes a number"),
        ("good", ["--html", "\(folder)/none/a.html"], "there is no folder"),
      ]
      for (name, words, sentence) in table {
        let result = await run(["advise", "\(folder)/\(name)"] + words)
        #expect(result.code == .usage, "\(name) \(words): \(result.output)")
        #expect(result.errors.contains(sentence), "\(result.errors)")
        #expect(result.output == "" && result.errors.split(separator: "\n").count == 1)
      }
    }
  }
}
