import Foundation
import LabFixtures
import Measuring
import Reporting
import TestSupport
import Testing

@testable import BenchCommands
@testable import Commands
@testable import HistoryBenchmarks
@testable import HistoryLab

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite(.serialized) struct `Running benchmarks` {
  @Test func `A run writes JSON, CSV and a page, and prints a table`() async throws {
    try await withFolder { folder in
      let words = [
        "bench", "run", "--only", "member record", "--axis", "base", "--rounds", "1", "--seed", "5",
      ]
      var composition = Composition.small
      composition[ChartSettings.self].toolsFolder = nil
      let result = await run(words + ["--output", folder], composition: composition)
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
      // Without the optional chart tool the page has tables, and the command says so.
      #expect(page.contains("<svg ") != result.errors.contains("The page has tables but no charts"))
      let goals = try String(contentsOfFile: "\(folder)/latest/goals.csv", encoding: .utf8)
      #expect(goals.split(whereSeparator: \.isNewline).count == Goals.all.count + 1)
      let table = try String(contentsOfFile: "\(folder)/latest/goals.md", encoding: .utf8)
      #expect(table.contains("| Store.record of a cursor, warm, "))
      let record = try String(contentsOfFile: "\(folder)/latest/run.json", encoding: .utf8)
      #expect(record.contains("1 benchmark was measured"))
    }
  }

  @Test func `A condition that is named alone is measured next to the base point`() async throws {
    try await withFolder { folder in
      let words = ["bench", "run", "--only", "open", "--axis", "coreData", "--rounds", "1"]
      let result = await run(words + ["--output", folder], composition: .small)
      #expect(result.code == .good, "\(result.errors)")
      let results = try ResultsFile.read(path: "\(folder)/latest/results.json")
      let timed = results.rows.filter { $0.metric == .wall }
      #expect(timed.map(\.contender) == ["Store", "Store, packed layout"])
      #expect(results.rows.allSatisfy { $0.axis == "coreData" && $0.historySize == 100 })
      #expect(timed[0].title.hasPrefix("Store.init of a store with history, coreData layout, warm"))
    }
  }

  @Test func `The goals of the measured benchmarks are reported`() async throws {
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

  @Test(.needs(.jemalloc, where: { JemallocLibrary.find() != nil }))
  func `Allocations are counted by jemalloc in a separate process`() async throws {
    let command = try #require(BuiltCommand.path)
    var composition = Composition.small
    composition.command = command
    try await withFolder { folder in
      let words = ["bench", "run", "--only", "member record", "--axis", "base", "--rounds", "1"]
      let result = await run(words + ["--output", folder], composition: composition)
      #expect(result.code == .good, "\(result.errors)")
      let results = try ResultsFile.read(path: "\(folder)/latest/results.json")
      let counted = results.rows.filter { Metric.allocator.contains($0.metric) }
      #expect(!counted.isEmpty)
      #expect(counted.allSatisfy { $0.notMeasured == nil && !$0.samples.isEmpty })
    }
  }

  @Test(.needs(.jemalloc, where: { JemallocLibrary.find() != nil }))
  func `A save of ten objects makes fewer than eight allocations per object`() async throws {
    let command = try #require(BuiltCommand.path)
    var composition = Composition.small
    composition.command = command
    try await withFolder { folder in
      let words = ["bench", "run", "--only", "write save 10", "--axis", "base", "--rounds", "1"]
      let result = await run(words + ["--output", folder], composition: composition)
      #expect(result.code == .good, "\(result.errors)")
      let results = try ResultsFile.read(path: "\(folder)/latest/results.json")
      let counted = results.rows.filter { row in
        row.metric == .allocations && row.title.contains("save of 10 objects,")
      }
      let ours = try #require(
        counted.first { $0.contender == BenchmarkSubject.ours }?.samples.first
      )
      // Builds for tests do not optimize contexts; an optimized build makes a third as many.
      #expect(ours < 80)
    }
  }

  @Test func `A benchmark that runs only when named does not run under another name`() async throws
  {
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
  func `Only its name makes the large benchmark run`(
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

  @Test func `Conditions that distort the measurement are reported on standard error`() async throws
  {
    try await withFolder { folder in
      let words = ["bench", "run", "--only", "member record", "--axis", "base", "--rounds", "1"]
      let result = await run(words + ["--output", folder], composition: .small)
      let isDebug = !RunEnvironment.current(sqlite: "", commit: nil, time: .now(), seed: 0)
        .optimized
      #expect(result.errors.contains("This is a debug build, whose figures mean little") == isDebug)
    }
  }

  @Test func `An interrupted run resumes where it stopped`() async throws {
    try await withFolder { folder in
      let words = [
        "bench", "run", "--only", "member record", "--only", "member join", "--axis", "base",
        "--rounds", "1", "--seed", "5",
      ]
      #expect(await run(words + ["--output", folder], composition: .small).code == .good)
      let path = try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/latest")
      let run = folder + "/" + path
      let whole = try ResultsFile.read(path: run + "/results.json")
      // As if the run was killed while it wrote the results of its second benchmark.
      let first = try #require(Subjects.all.first { $0.name.hasPrefix("member") })
      let journal = BenchJournal(in: run)
      try journal.append(first, whole.rows.filter { $0.title.hasPrefix(first.title) })
      let file = try #require(FileHandle(forWritingAtPath: journal.path))
      try file.seekToEnd()
      try file.write(contentsOf: Data(#"{"subject":"member jo"#.utf8))
      try file.close()
      try FileManager.default.removeItem(atPath: run + "/results.json")
      try setCommandLine(["history-lab"] + words + ["--output", folder], of: run)

      let again = await LabFixtures.run(
        ["bench", "run", "--resume", folder + "/latest"],
        composition: .small
      )
      #expect(again.code == .good, "\(again.errors)")
      let results = try ResultsFile.read(path: run + "/results.json")
      #expect(results.rows.map(\.title) == whole.rows.map(\.title))
      #expect(ExactComparison(base: whole.rows, head: results.rows).changes.isEmpty)
      let isKept = { (row: BenchmarkRow) in row.title.hasPrefix(first.title) }
      #expect(results.rows.filter(isKept) == whole.rows.filter(isKept))
      #expect(results.environment == whole.environment)
      #expect(!FileManager.default.fileExists(atPath: journal.path))
    }
  }

  @Test func `Ctrl-C ends a run in order and keeps the measurements`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      Interruption.install()
      exit(try await interruptedRun() ? 7 : 1)
    }
  }

  @Test func `A run that cannot be resumed is refused`() async throws {
    let none = await run(["bench", "run", "--resume", "/nowhere"])
    #expect(none.code == .usage)
    #expect(none.errors.contains(#"--resume: there is no file "/nowhere/run.json"."#))
    let both = await run(["bench", "run", "--resume", "/nowhere", "--quick", "--seed", "1"])
    #expect(both.errors.contains("of the interrupted run: leave out --quick and --seed."))
  }

  @Test(arguments: [[], ["--exact-only"]])
  func `A complete run is not measured again`(options: [String]) async throws {
    try await withFolder { folder in
      let words = ["bench", "run", "--only", "member record", "--axis", "base", "--seed", "5"]
      let rounds = options.isEmpty ? ["--rounds", "1"] : []
      let all = words + options + rounds + ["--output", folder]
      #expect(await run(all, composition: .small).code == .good)
      let latest = folder + "/latest"
      try setCommandLine(["history-lab"] + all, of: latest)
      let files = ["run.json", "results.json", "index.html"]
      let before = files.map { FileManager.default.contents(atPath: latest + "/" + $0) }
      let again = await run(["bench", "run", "--resume", latest], composition: .small)
      #expect(again.code == .usage)
      #expect(again.errors.contains("is complete: nothing is left to measure"), "\(again.errors)")
      #expect(files.map { FileManager.default.contents(atPath: latest + "/" + $0) } == before)
      #expect(!FileManager.default.fileExists(atPath: BenchJournal(in: latest).path))
    }
  }

  @Test func `A run interrupted before its first benchmark resumes`() async throws {
    try await withFolder { folder in
      let words = ["bench", "run", "--only", "member record", "--axis", "base", "--rounds", "1"]
      #expect(await run(words + ["--output", folder], composition: .small).code == .good)
      let latest = folder + "/latest"
      try setCommandLine(["history-lab"] + words + ["--output", folder], of: latest)
      try BenchJournal(in: latest).begin()
      try FileManager.default.removeItem(atPath: latest + "/results.json")
      let again = await run(["bench", "run", "--resume", latest], composition: .small)
      #expect(again.code == .good, "\(again.errors)")
      #expect(try !ResultsFile.read(path: latest + "/results.json").rows.isEmpty)
    }
  }

  @Test func `Gaps in a run's record are reported in a sentence`() async throws {
    try await withFolder { folder in
      try makeFile(folder + "/run.json", "{}")
      let result = await run(["bench", "run", "--resume", folder])
      #expect(result.code == .usage)
      #expect(result.errors.contains("is not the record of a run: the key run is missing."))
    }
  }

  /// Tests do not run under the command line that they test.
  private func setCommandLine(_ words: [String], of run: String) throws {
    let url = URL(fileURLWithPath: run + "/run.json")
    var record = try JSONDecoder().decode(RunRecord.self, from: try Data(contentsOf: url))
    record.commandLine = words
    try JSONEncoder().encode(record).write(to: url)
  }

  @Test func `The list shows every benchmark and metric of this build`() async {
    let list = await run(["bench", "list"], composition: .current)
    #expect(list.output.contains("fetch newest 10"))
    #expect(list.output.contains("authors-16"))
    let metrics = await run(["list", "metrics"], composition: .current)
    #expect(metrics.output.contains("cpu"))
  }
}

/// Measures, and sends SIGINT as soon as the second benchmark is named.
///
/// - Returns: Whether only the first benchmark was kept.
private func interruptedRun() async throws -> Bool {
  try await withFolder { folder in
    let errors = Recorder()
    let clock = TestClock()
    let terminal = Terminal(
      Terminal.Traits(showsStatus: true, statusWidth: 200),
      now: {
        clock.move(by: .seconds(1))
        return clock.now
      },
      output: Recorder().take,
      errors: { text in
        if text.contains("member join") && !Interruption.isRequested { raiseHere(SIGINT) }
        return errors.take(text)
      }
    )
    let words = ["bench", "run", "--only", "member record", "--only", "member join"]
    let lab = Lab(tool: .historyLab, composition: .small, terminal: terminal)
    let code = await onOwnThread {
      await lab.run(words + ["--axis", "base", "--rounds", "1", "--output", folder])
    }
    let latest = folder + "/latest"
    let results = try ResultsFile.read(path: latest + "/results.json")
    let record = try FinishedRun.record(latest)
    return code == .undecided && results.titles.count == 1
      && results.titles[0].hasPrefix("Store.record") && !results.rows.isEmpty
      && record.because == "ended early: 1 of 2 were measured"
      && errors.text.contains("Stopping early; the results so far are kept.")
      && FileManager.default.fileExists(atPath: BenchJournal(in: latest).path)
  }
}
