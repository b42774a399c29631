import Foundation
import HistoryBenchmarks
import LabFixtures
import Measuring
import TestSupport
import Testing

@testable import BenchCommands
@testable import Commands
@testable import HistoryLab

@Suite(.serialized) struct `Counts of instructions` {
  @Test func `A profile states the instructions since the one before`() {
    let profile =
      "version: 1\npart: 2\nevents: Ir\nsummary: 3009\n\nfn=(1) main\n0 3009\ntotals: 3009\n"
    #expect(CallgrindProfile.instructions(in: profile) == 3_009)
    #expect(CallgrindProfile.instructions(in: "version: 1\npart: 2\n") == nil)
    #expect(CallgrindProfile.instructions(in: "summary: many\n") == nil)
  }

  @Test func `A missing tool is named with its package`() throws {
    #expect(InstructionCounts.missingTool(in: "")?.package == "valgrind")
    let folder = try TemporaryFolder()
    for name in ["valgrind", "strip"] {
      #expect(InstructionCounts.missingTool(in: "/nowhere:\(folder.path(""))")?.name == name)
      let file = folder.path(name)
      try Data().write(to: URL(fileURLWithPath: file))
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file)
    }
    #expect(InstructionCounts.missingTool(in: "/nowhere:\(folder.path(""))") == nil)
  }

  @Test func `Every one of the twenty operations is a benchmark with our store`() {
    let names = Set(Subjects.all.map(\.name))
    #expect(InstructionCounts.hottest.count == 20)
    #expect(InstructionCounts.hottest.allSatisfy(names.contains))
  }

  @Test(
    arguments: [
      ("--only 'fetch everything'", "`bench instructions` counts. Choose from: write"),
      ("--only nonsense", #"unknown benchmark "nonsense"."#),
      ("--self-test 2 --accept", "--self-test cannot be combined with --accept"),
      ("--self-test 2 --json", "leave them out."),
      ("", "this process is not history-lab, the executable that `bench instructions` starts"),
    ]
  )
  func `What cannot be counted is refused`(_ words: String, _ sentence: String) async {
    var composition = Composition.small
    if !words.isEmpty { composition.command = "/nowhere/history-lab" }
    let arguments = words.split(separator: "'").enumerated().flatMap { place, part in
      place % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
    }
    let result = await run(["bench", "instructions"] + arguments, composition: composition)
    if words.hasPrefix("--only 'fetch"), InstructionCounts.missingTool() != nil {
      #expect(result.errors.contains("is not installed. Get it with: apt-get install "))
    } else {
      #expect(result.errors.contains(sentence), "\(result.errors)")
    }
  }

  @Test func `Half a percent more than the threshold is a regression`() {
    func row(_ count: Double) -> BenchmarkRow {
      BenchmarkRow(
        subject: "Store.save",
        operation: "10 objects",
        condition: "",
        contender: BenchmarkSubject.ours,
        historySize: 10_000,
        metric: .instructions,
        samples: [count],
        seed: 1
      )
    }
    let thresholds = CountThresholds([row(100_000)], of: BenchmarkSubject.ours, platform: "here")
    #expect(thresholds.rows(for: [row(7)]).map(\.samples) == [[100_000]])
    for (count, isRegression) in [(100_499.0, false), (100_501, true), (99_000, false)] {
      let comparison = thresholds.compare(
        [row(count)],
        of: BenchmarkSubject.ours,
        tolerance: InstructionCounts.tolerance
      )
      #expect(comparison.compared == 1 && comparison.dearer.isEmpty == !isRegression)
    }
  }

  /// With the environment variable `BENCHMARKS=all`, a percent more must be noticed; that takes 20 seconds.
  @Test(.needs(.valgrind)) func `Instructions are counted in a process under Callgrind`()
    async throws
  {
    var composition = Composition.small
    let command = try #require(BuiltCommand.path)
    composition.command = command
    try await withFolder { folder in
      let words = [
        "bench", "instructions", "--only", "member record", "--size", "1000",
        "--thresholds", folder + "/thresholds",
      ]
      let accepted = await run(words + ["--accept"], composition: composition)
      #expect(accepted.code == .good, "\(accepted.errors)")
      #expect(accepted.output.hasPrefix("Thresholds for 1 operation: "))
      guard ProcessInfo.processInfo.environment["BENCHMARKS"] == "all" else { return }
      let beside = await run(words + ["--beside-c"], composition: composition)
      #expect(beside.code == .good && beside.output.contains("in C"))
      #expect(beside.output.contains("SQLite"), "\(beside.output)")
      let tested = await run(words + ["--self-test", "1"], composition: composition)
      #expect(tested.code == .good, "\(tested.output)")
      #expect(tested.output.hasSuffix("0 false alarms, 0 slow-downs were not noticed.\n"))
    }
  }
}
