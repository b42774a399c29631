import Foundation
import HistoryBenchmarks
import LabFixtures
import Measuring
import Reporting
import Testing

@testable import BenchCommands
@testable import Commands
@testable import HistoryLab

@Suite struct `Shards of a run` {
  private static var composition: Composition {
    var composition = Composition.sample
    composition.catalogue = Composition.current.catalogue
    composition[BenchmarkSizes.self].all = [100, 200]
    composition[BenchmarkSizes.self].checksNoise = false
    return composition
  }

  /// Runs a line in which `_` represents a blank within a word.
  private func lab(
    _ line: String,
    _ composition: Composition = Self.composition
  ) async -> (code: ExitCode, output: String, errors: String) {
    let words = line.split(separator: " ").map { $0.replacing("_", with: " ") }
    return await run(words.map(String.init), composition: composition)
  }

  private func check(_ folder: String) throws -> CheckDocument {
    try #require(try RunDocument.read(folder + "/latest/check.json"))
  }

  @Test func `Two shards of a check add up to the whole check`() async throws {
    try await withFolder { folder in
      let words = "check --system tracker --system article --plans 4 --seed 7 --output \(folder)"
      _ = await lab(words + "/whole")
      for part in 1...2 { _ = await lab(words + "/part-\(part) --shard \(part)/2") }
      // Paths within a shard do not matter, because machines send their folders.
      try FileManager.default.moveItem(atPath: folder + "/part-2", toPath: folder + "/sent")
      let sent = "\(folder)/part-1 \(folder)/sent"
      let result = await lab("report merge \(sent) --output \(folder)/joined")
      #expect(result.code == .violation, "\(result.errors)")
      let whole = try check(folder + "/whole")
      let joined = try check(folder + "/joined")
      #expect(joined.verdict == whole.verdict)
      #expect(joined.because == whole.because)
      for (one, other) in zip(joined.systems, whole.systems) {
        #expect(one.plans == other.plans)
        #expect(one.steps == other.steps)
        #expect(one.invalidPlans == other.invalidPlans)
        #expect(one.repeatedPlans == other.repeatedPlans)
        #expect(one.conditions == other.conditions)
        #expect(one.invariants.map(\.valid) == other.invariants.map(\.valid))
        #expect(one.invariants.map(\.invalid) == other.invariants.map(\.invalid))
        #expect(one.invariants.map(\.unknown) == other.invariants.map(\.unknown))
        let found = Dictionary(uniqueKeysWithValues: one.counterexamples.map { ($0.checker, $0) })
        #expect(found.count == other.counterexamples.count)
        for expected in other.counterexamples {
          #expect(found[expected.checker]?.foundInPlan == expected.foundInPlan)
          #expect(found[expected.checker]?.plan == expected.plan)
          let file = try #require(found[expected.checker]?.file)
          let path = "\(folder)/joined/latest/\(file)"
          let page = path.replacing(".jsonl", with: ".html")
          #expect(FileManager.default.fileExists(atPath: page))
          let again = await lab("replay \(path)")
          #expect(again.code == .violation)
        }
      }
    }
  }

  @Test func `Two shards of the benchmarks have every exact row of the whole`() async throws {
    // Counted in separate processes, as always outside of tests.
    var composition = Self.composition
    let command = try #require(BuiltCommand.path)
    composition.command = command
    try await withFolder { folder in
      let only = "--only member_record --only history_bytes --axis base"
      let words = "bench run \(only) --rounds 1 --seed 7 --output \(folder)"
      for (place, shard) in [("whole", ""), ("part-1", " --shard 1/2"), ("part-2", " --shard 2/2")]
      {
        let result = await lab("\(words)/\(place)\(shard)", composition)
        #expect([.good, .undecided].contains(result.code), "\(result.errors)")
      }
      let parts = "\(folder)/part-1 \(folder)/part-2"
      _ = await lab("report merge \(parts) --output \(folder)/joined")
      let one = try ResultsFile.read(path: folder + "/whole/latest/results.json")
      let other = try ResultsFile.read(path: folder + "/joined/latest/results.json")
      #expect(one.titles == other.titles)
      func names(_ results: BenchmarkResults) -> [String] {
        results.rows.map { "\($0.title)/\($0.contender)/\($0.historySize)/\($0.metric.name)" }
      }
      #expect(names(one) == names(other))
      let comparison = ExactComparison(base: one.rows, head: other.rows)
      #expect(comparison.compared == one.rows.count(where: \.isExact))
      #expect(comparison.compared >= 2 * 2 * Metric.counted.count)
      #expect(comparison.changes.map(\.sentence).isEmpty)
      #expect(comparison.missing.isEmpty && comparison.new == 0)
    }
  }

  @Test func `Two shards of the mutants have all of them, in order`() async throws {
    try await withFolder { folder in
      let words =
        "mutants --seeds 1 --seed 3 --output \(folder)"
      var composition = Self.composition
      composition.take([.mortal, .same])
      _ = await lab(words + "/whole", composition)
      for part in 1...2 { _ = await lab(words + "/part-\(part) --shard \(part)/2", composition) }
      let parts = "\(folder)/part-1 \(folder)/part-2"
      let result = await lab("report merge \(parts) --output \(folder)/joined")
      #expect(result.code == .good, "\(result.errors)")
      let whole: MutantDocument? = try RunDocument.read(folder + "/whole/latest/mutants.json")
      let joined: MutantDocument? = try RunDocument.read(folder + "/joined/latest/mutants.json")
      #expect(joined?.outcomes.map(\.mutant) == whole?.outcomes.map(\.mutant))
      #expect(joined?.outcomes.map(\.plan) == whole?.outcomes.map(\.plan))
      #expect(joined?.because == whole?.because)
      #expect(joined?.killed == whole?.killed)
      #expect(joined?.leastShare == whole?.leastShare)
    }
  }

  @Test func `A missing shard is named, and the present ones are merged`() async throws {
    try await withFolder { folder in
      for part in [1, 3] {
        _ = try Night(folder + "/parts").bench("part-\(part)", ours: 1, shard: Shard(part, of: 4))
      }
      let result = await lab("report merge \(folder)/parts --output \(folder)/joined")
      #expect(result.code == .undecided)
      #expect(result.errors.contains("parts 2/4 and 4/4 are missing."))
      let record = try FinishedRun.record(folder + "/joined/latest")
      #expect(record.because == "1 benchmark of 2 parts; parts 2/4 and 4/4 are missing.")
      #expect(record.verdict == "unknown")
    }
  }

  @Test func `A duplicate shard is named, and no file is written`() async throws {
    try await withFolder { folder in
      for name in ["a", "b"] {
        _ = try Night(folder + "/parts").bench(name, ours: 1, shard: Shard(1, of: 2))
      }
      let result = await lab("report merge \(folder)/parts --output \(folder)/joined")
      #expect(result.code == .usage)
      #expect(result.errors.contains("part 1/2 is given twice: "))
      #expect(!FileManager.default.fileExists(atPath: folder + "/joined"))
    }
  }

  @Test func `A copy of a run in a folder named latest is not a second attempt`() async throws {
    try await withFolder { folder in
      let files = FileManager.default
      func part(_ number: Int, _ place: String) throws -> String {
        let night = Night("\(folder)/parts/\(number)")
        return try night.bench(place, ours: 1, shard: Shard(number, of: 3))
      }
      let one = try part(1, "20260101T000000Z-bench")
      try files.copyItem(atPath: one, toPath: "\(folder)/parts/1/latest")
      let two = try part(2, "runs/20260101T000000Z-bench")
      try files.copyItem(atPath: two, toPath: "\(folder)/parts/2/latest")
      _ = try part(3, "latest")
      let result = await lab("report merge \(folder)/parts --output \(folder)/joined")
      #expect(result.code == .good, "\(result.errors)")
      #expect(result.output.contains("1 benchmark of 3 parts"), "\(result.output)")
    }
  }

  @Test func `A file that is no shard, or from another run, is refused`() async throws {
    try await withFolder { folder in
      let night = Night(folder)
      let whole = try night.bench("whole", ours: 1)
      let open = try night.bench("open", ours: 1, verdict: nil, shard: Shard(1, of: 2))
      let two = try night.bench("two", ours: 1, shard: Shard(2, of: 2))
      let three = try night.bench("three", ours: 1, shard: Shard(1, of: 3))
      for (folders, sentence) in [
        (whole, "is a whole run, not a part of a split run"), (open, "has not finished"),
        ("\(two) \(three)", "are parts of different runs"),
      ] {
        let result = await lab("report merge \(folders) --output \(folder)/joined")
        #expect(result.code == .usage)
        #expect(result.errors.contains(sentence), "\(result.errors)")
      }
    }
  }

  @Test(arguments: [
    (
      ["SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "5"],
      "3/4"
    ),
    (["SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_TASK_COUNT": "2"], "1/2"),
    (["JOB_COMPLETION_INDEX": "1", "JOB_COMPLETIONS": "8"], "2/8"),
    (["STRATEGY_JOB_INDEX": "2", "STRATEGY_JOB_TOTAL": "3"], "3/3"),
  ])
  func `A scheduler's environment gives the shard of a process`(
    environment: [String: String],
    part: String
  ) throws {
    #expect(try ShardChoice.scheduled.shard(in: environment) == Shard(part))
  }

  @Test func `Without a scheduler the shard must be named`() {
    #expect(throws: LabError.self) { try ShardChoice.scheduled.shard(in: [:]) }
    #expect(throws: LabError.self) {
      try ShardChoice.scheduled.shard(in: ["JOB_COMPLETION_INDEX": "8", "JOB_COMPLETIONS": "8"])
    }
    for text in ["0/2", "3/2", "1", "1/0", "a/b", "1/2/3", "/2", "-1/2"] {
      #expect(ValueReader<ShardChoice>.shard.read(text) == nil, "\(text)")
    }
  }

  @Test func `The shards' plans are the plans of the whole, each once`() {
    for count in 1...5 {
      var numbers: [Int] = []
      for index in 1...count {
        let queue = PlanQueue(plans: 13, steps: nil, shard: Shard(index, of: count))
        while let number = queue.take() { numbers.append(number) }
      }
      #expect(numbers.sorted() == Array(1...13), "\(count) parts")
    }
  }

  @Test func `A shard ends with its share of the steps`() throws {
    let queue = PlanQueue(plans: .max, steps: 100, shard: Shard(2, of: 2))
    for _ in 1...5 {
      let number = try #require(queue.take())
      queue.finish(number, steps: 10)
    }
    #expect(queue.take() == nil)
    #expect(queue.last == 10)
  }
}
