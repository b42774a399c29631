import Foundation
import HistoryBenchmarks
import Measuring
import Reporting
import Testing

@testable import HistoryLab

@Suite(.serialized) struct `Running benchmarks` {
  @Test func `A run leaves JSON, CSV and a page, and prints a table`() async throws {
    try await withFolder { folder in
      let words = ["bench", "run", "--only", "member record", "--rounds", "1", "--seed", "5"]
      let result = await run(words + ["--output", folder], composition: .small)
      #expect(result.code == .good)
      #expect(result.output.contains("Store.record of a cursor"))
      #expect(result.output.contains("\nRun: \(folder)/"))
      let results = try ResultsFile.read(path: "\(folder)/latest/results.json")
      #expect(results.environment.seed == 5)
      #expect(Set(results.rows.map(\.historySize)) == [100, 200])
      #expect(Set(results.rows.map(\.contender)) == ["Store", "SQLite"])
      let csv = try String(contentsOfFile: "\(folder)/latest/results.csv", encoding: .utf8)
      #expect(csv.split(whereSeparator: \.isNewline).count == results.rows.count + 1)
      let page = try String(contentsOfFile: "\(folder)/latest/index.html", encoding: .utf8)
      #expect(page.contains("Store.record of a cursor"))
      let goals = try String(contentsOfFile: "\(folder)/latest/goals.csv", encoding: .utf8)
      #expect(goals.split(whereSeparator: \.isNewline).count == Goals.all.count + 1)
      let table = try String(contentsOfFile: "\(folder)/latest/goals.md", encoding: .utf8)
      #expect(table.contains("| Store.record of a cursor, warm, "))
      let record = try String(contentsOfFile: "\(folder)/latest/run.json", encoding: .utf8)
      #expect(record.contains("1 benchmark was measured"))
    }
  }

  @Test func `The goals of what was measured are told`() async throws {
    try await withFolder { folder in
      let words = ["bench", "run", "--only", "history bytes", "--seed", "5"]
      let result = await run(words + ["--output", folder], composition: .small)
      #expect(result.code == .good)
      #expect(result.output.contains("\nGoals: "))
      #expect(result.output.contains("bytes a change, packed / coreData layout"))
      #expect(result.output.contains("\u{2264} \u{D7}0.250"))
      #expect(!result.output.contains("purge of 1000 transactions"))
    }
  }

  @Test func `What runs only when it is named is refused by another name`() async throws {
    for option in ["--only", "--also"] {
      let result = await run(["bench", "run", option, "lrage"], composition: .current)
      #expect(result.code == .usage)
      #expect(
        result.errors.contains(
          #"unknown benchmark "lrage". Did you mean "large"? Try: history-lab bench list"#
        )
      )
    }
  }

  @Test(arguments: [
    ("", false, true), ("--only large", true, false), ("--only LAR", true, false),
    ("--also large", true, true), ("--only fetch --also large", true, true),
    ("--only merge", false, false),
  ])
  func `Only a name makes the large benchmark run`(
    _ words: String,
    _ runsLarge: Bool,
    _ runsFetch: Bool
  ) throws {
    let options = try BenchRunOptions(parse("bench run \(words)"), in: .current)
    let names = Subjects.all.filter { options.selects($0.name, isNamedOnly: $0.isNamedOnly) }
      .map(\.name)
    #expect(names.contains("large") == runsLarge)
    #expect(names.contains("fetch newest 10") == runsFetch)
  }

  @Test func `JSON on standard output is the file of the run`() async throws {
    try await withFolder { folder in
      let words = ["bench", "run", "--quick", "--only", "member join", "--rounds", "1", "--json"]
      let result = await run(words + ["--output", folder], composition: .small)
      #expect(result.code == .good)
      let file = try String(contentsOfFile: "\(folder)/latest/results.json", encoding: .utf8)
      #expect(result.output == file)
      let results = try ResultsFile.read(path: "\(folder)/latest/results.json")
      #expect(Set(results.rows.map(\.historySize)) == [100])
      #expect(try ResultsFile.json(results) == file)
    }
  }

  @Test func `What stands in the way of the figures is said on standard error`() async throws {
    try await withFolder { folder in
      let words = ["bench", "run", "--only", "member record", "--rounds", "1"]
      let result = await run(words + ["--output", folder], composition: .small)
      let isDebug = !RunEnvironment.current(sqlite: "", commit: nil, time: .now(), seed: 0)
        .optimized
      #expect(result.errors.contains("This is a debug build, whose figures say little") == isDebug)
    }
  }

  @Test func `The list has every benchmark and metric of this build`() async {
    let list = await run(["bench", "list"], composition: .current)
    #expect(list.output.contains("fetch newest 10"))
    let metrics = await run(["list", "metrics"], composition: .current)
    #expect(metrics.output.contains("cpu"))
  }
}

extension Composition {
  /// This build with histories that are built in no time.
  fileprivate static var small: Composition {
    var composition = Composition.current
    composition.quickHistorySizes = [100]
    composition.historySizes = [100, 200]
    return composition
  }
}
