import Foundation
import LabFixtures
import Measuring
import Reporting
import Testing

@testable import BenchCommands
@testable import Commands
@testable import HistoryLab

@Suite(.serialized) struct `Exact runs` {
  @Test func `Only exact rows are counted, in separate processes, with equal results`()
    async throws
  {
    var composition = Composition.small
    let command = try #require(BuiltCommand.path)
    composition.command = command
    composition[BenchmarkSizes.self].checksNoise = true
    try await withFolder { folder in
      let words = [
        "bench", "run", "--exact-only", "--repeat", "3", "--seed", "5", "--axis", "base",
      ]
      let only = ["member record", "open store", "history bytes", "open loop"]
      let result = await run(
        words + only.flatMap { ["--only", $0] } + ["--output", folder],
        composition: composition
      )
      #expect(result.code == .good, "\(result.output) \(result.errors)")
      let results = try ResultsFile.read(path: folder + "/latest/results.json")
      #expect(results.rows.allSatisfy { $0.metric.kind == .exact })
      let exact = results.rows.count(where: \.isExact)
      #expect(exact >= 40)
      #expect(
        result.output.hasPrefix("\(exact.grouped) exact rows are identical in 3 of 3 runs\nRun: ")
      )
      #expect(results.rows.contains { $0.metric.name == "bytes a change" })
      let record = try FinishedRun.record(folder + "/latest")
      #expect(record.verdict == "valid")
      #expect(record.because == "\(exact.grouped) exact rows are identical in 3 of 3 runs")
      // A counting run can be compared with thresholds.
      let thresholds = ["--output", folder, "--thresholds", folder + "/thresholds"]
      #expect(await run(["bench", "baseline", "accept"] + thresholds).code == .good)
      #expect(await run(["bench", "baseline", "check"] + thresholds).code == .good)
    }
  }

  @Test func `Different counts are named with their frequency`() {
    var repeats = ExactRepeats([row("a", 1), row("b", 2), row("c", 3)], wanted: 5)
    repeats.note([row("a", 1), row("b", 2), row("c", 3)])
    #expect(repeats.differences.isEmpty)
    repeats.note([row("a", 1), row("b", 9), row("c", 3)])
    repeats.note([row("a", 1), row("b", 8)])
    repeats.note([row("a", 1), row("b", 2), row("c", 3), row("d", 4)])
    #expect(repeats.done == 5 && repeats.isWhole)
    #expect(repeats.sentence == "3 of 3 exact rows differ in 5 of 5 runs")
    #expect(
      repeats.sentences == [
        "fetch b, Store, 1000 transactions: VM steps, in 2 of 4",
        "fetch c, Store: VM steps missing, in 1 of 4",
        "1 row that the first run lacks, in 1 of 4",
      ]
    )
  }

  @Test func `Counts that may vary are not differences`() {
    var first = row("a", 1)
    first.varies = "the system shares it out"
    var again = first
    again.samples = [2]
    var repeats = ExactRepeats([first, row("b", 1)], wanted: 2)
    repeats.note([again, row("b", 1)])
    #expect(repeats.sentence == "1 exact row is identical in 2 of 2 runs")
  }

  @Test func `A run without exact counts or with an interruption is undecided`() {
    #expect(ExactRepeats([], wanted: 1).sentence == "nothing exact was counted")
    let once = ExactRepeats([row("a", 1)], wanted: 3)
    #expect(!once.isWhole && once.sentence == "1 exact row is identical in 1 of 3 runs")
  }

  @Test(arguments: [
    ("bench run --repeat 20", "--repeat works only with --exact-only: add --exact-only"),
    ("bench run --exact-only --rounds 3", "--exact-only measures no time: leave out --rounds"),
    ("bench run --exact-only --repeat 1", "--repeat takes a whole number from 2 to 1,000"),
  ])
  func `Uncountable benchmarks are refused`(line: String, sentence: String) async {
    let result = await run(line.split(separator: " ").map(String.init))
    #expect(result.code == .usage)
    #expect(result.errors.contains(sentence), "\(result.errors)")
  }

  private func row(_ operation: String, _ count: Double) -> BenchmarkRow {
    BenchmarkRow(
      subject: "fetch",
      operation: operation,
      condition: "",
      contender: "Store",
      historySize: 1_000,
      metric: .vmSteps,
      samples: [count],
      seed: 1
    )
  }
}
