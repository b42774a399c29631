import Foundation
import HistoryBenchmarks
import LabFixtures
import Measuring
import Reporting
import Testing

@testable import BenchCommands
@testable import Commands
@testable import HistoryLab

@Suite struct `Baselines` {
  @Test func `A run is kept under a name, listed, and equal to itself`() async throws {
    try await withRuns { runs in
      try write(rows(steps: 607), to: "\(runs)/20260101T000000Z-bench")
      let words = ["--output", runs]
      #expect(await run(["bench", "baseline", "save", "before"] + words).code == .good)
      let list = await run(["bench", "baseline", "list"] + words)
      #expect(list.output.contains("before"))
      #expect(list.output.contains("abc123"))
      let same = await run(["bench", "baseline", "compare", "before"] + words)
      #expect(same.code == .good)
      #expect(same.output == "2 counts compared: none has risen, 0 have fallen.\n")
    }
  }

  @Test func `A risen count is a regression that is named, and a fallen one is reported`()
    async throws
  {
    try await withRuns { runs in
      try write(rows(steps: 607), to: "\(runs)/20260101T000000Z-bench")
      let words = ["--output", runs]
      #expect(await run(["bench", "baseline", "save", "before"] + words).code == .good)
      try write(rows(steps: 1_214), to: "\(runs)/20260102T000000Z-bench")
      let dearer = await run(["bench", "baseline", "compare", "before"] + words)
      #expect(dearer.code == .violation)
      #expect(
        dearer.output.contains(
          "Regression: fetch newest, warm, Store, 1000 transactions: 1214 VM steps, before 607"
        )
      )
      try write(rows(steps: 500), to: "\(runs)/20260103T000000Z-bench")
      let cheaper = await run(["bench", "baseline", "compare", "before"] + words)
      #expect(cheaper.code == .good)
      #expect(cheaper.output.contains("Improvement: fetch newest"))
      let within = ["bench", "baseline", "compare", "before", "--tolerance", "30"]
      #expect(await run(within + words).output.contains("0 have fallen"))
    }
  }

  @Test func `Different times are reported and confirmed by comparing commits`() async throws {
    try await withRuns { runs in
      let words = ["--output", runs]
      try write(times(ratio: 1.0), commit: nil, to: "\(runs)/20260101T000000Z-bench")
      #expect(await run(["bench", "baseline", "save", "before"] + words).code == .good)
      let compare = ["bench", "baseline", "compare", "before"] + words
      try write(times(ratio: 1.04), to: "\(runs)/20260102T000000Z-bench")
      #expect(await !run(compare).output.contains("decide nothing"))
      try write(times(ratio: 1.2), to: "\(runs)/20260103T000000Z-bench")
      let reported = await run(compare)
      #expect(reported.code == .undecided)
      #expect(reported.output.contains("two launches are too few to decide:\n"))
      #expect(reported.output.contains("×1.00      ×1.20\n"))
      #expect(
        reported.output.contains("Decide with: history-lab bench baseline compare before --decide")
      )
      let unknown = await run(compare + ["--decide"])
      #expect(unknown.code == .usage)
      #expect(unknown.errors.contains("the baseline does not record its commit. Try: "))
      let nowhere = await run(compare + ["--decide", "--base", "no-such-commit"])
      #expect(nowhere.errors.contains(#"there is no commit "no-such-commit" in "#))
    }
  }

  @Test func `Suspects are compared by benchmark and size`() {
    let suspects = TimeSuspects(
      base: times(ratio: 1.0) + times(ratio: 1.0, size: 500, axis: "cold"),
      head: times(ratio: 0.8) + times(ratio: 2.0, size: 500, axis: "cold")
        + times(ratio: 3.0, size: 70)
    )
    #expect(suspects.suspects.map(\.now) == [0.8, 2.0])
    #expect(suspects.comparisons.map(\.historySize) == [1_000])
    #expect(suspects.comparisons.map(\.subjects) == [["fetch newest 10"]])
    #expect(suspects.undecidable.map(\.row.historySize) == [500])
  }

  @Test func `Thresholds are accepted, applied, and kept by platform`() async throws {
    try await withRuns { runs in
      let words = ["--output", runs, "--thresholds", "\(runs)/thresholds"]
      try write(rows(steps: 607), to: "\(runs)/20260101T000000Z-bench")
      let missing = await run(["bench", "baseline", "check"] + words)
      #expect(missing.code == .undecided)
      #expect(missing.output.contains("There are no thresholds for "))
      #expect(await run(["bench", "baseline", "accept"] + words).code == .good)
      #expect(await run(["bench", "baseline", "check"] + words).code == .good)
      try write(rows(steps: 620), to: "\(runs)/20260102T000000Z-bench")
      #expect(await run(["bench", "baseline", "check"] + words).code == .violation)
      try write(
        rows(steps: 607).filter { $0.metric == .vmSteps },
        to: "\(runs)/20260103T000000Z-bench"
      )
      let unmet = await run(["bench", "baseline", "check"] + words)
      #expect(unmet.code == .undecided)
      #expect(
        unmet.output.contains(
          "1 threshold has no count in the run: fetch newest, warm, page reads at 1000"
        )
      )
    }
  }

  @Test func `Wrong arguments are reported`() async throws {
    try await withRuns { runs in
      let words = ["--output", runs]
      let none = await run(["bench", "baseline", "save", "before"] + words)
      #expect(none.code == .usage)
      #expect(none.errors.contains("holds no run of the benchmarks. Try: history-lab bench run"))
      let odd = await run(["bench", "baseline", "save", "a/b"] + words)
      #expect(odd.errors.contains("NAME may contain only letters, digits, dots, dashes and"))
      try write(rows(steps: 1), to: "\(runs)/20260101T000000Z-bench")
      #expect(await run(["bench", "baseline", "save", "before"] + words).code == .good)
      let nearly = await run(["bench", "baseline", "compare", "befor"] + words)
      #expect(nearly.errors.contains(#"there is no baseline "befor". Did you mean "before"?"#))
    }
  }

  @Test func `A run without measurements can be neither kept nor compared`() async throws {
    try await withRuns { runs in
      let words = ["--output", runs]
      let (old, new) = ("\(runs)/20260101T000000Z-bench", "\(runs)/20260102T000000Z-bench")
      try write(rows(steps: 607), to: old)
      #expect(await run(["bench", "baseline", "save", "before"] + words).code == .good)
      try write([], to: new)
      for verb in [["save", "after"], ["compare", "before"]] {
        for choice in [[], ["--run", new]] {
          let result = await run(["bench", "baseline"] + verb + words + choice)
          #expect(result.code == .usage)
          #expect(result.errors.contains("nothing was measured in the run"), "\(result.errors)")
          #expect(result.errors.contains("Try: history-lab bench run --resume "))
        }
      }
      #expect(
        !FileManager.default.fileExists(
          atPath: BenchCommands.Baselines(nextTo: runs).path(of: "after")
        )
      )
      let named = ["bench", "baseline", "save", "after", "--run", old]
      #expect(await run(named + words).code == .good)
    }
  }

  @Test(arguments: [
    (
      "bench compare",
      "bench compare has nothing to compare with: pass the path of an executable as BASE"
    ),
    ("bench compare nowhere", #"there is no file "nowhere"."#),
    ("bench compare Package.swift --base main", "BASE and --base are two ways to name one build:"),
    ("bench compare --base main --only fetsh", #"unknown benchmark "fetsh"."#),
    ("bench compare --base main --launches 5", "--launches takes a whole number from 6 to 1,000"),
    ("bench compare --base main --only large", "that is measured in rounds, unlike large"),
  ])
  func `An impossible comparison is refused`(line: String, sentence: String) async {
    let result = await run(line.split(separator: " ").map(String.init), composition: .current)
    #expect(result.code == .usage)
    #expect(result.errors.contains(sentence), "\(result.errors)")
  }

  @Test(arguments: [
    ("/bin/echo", "it wrote no results"), ("/bin/ls", "it ended with exit code "),
    ("/etc/hosts", "it cannot be started"),
  ])
  func `A program that is not a build of the command is refused by name`(
    program: String,
    reason: String
  ) async {
    let words = ["bench", "compare", program, program, "--only", "fetch newest 10"]
    let result = await run(words, composition: .current)
    #expect(result.code == .usage)
    #expect(
      result.errors.contains(
        "\(program) is not a build of history-lab that can be compared: \(reason)"
      ),
      "\(result.errors)"
    )
  }

  @Test func `Builds are compared by all benchmarks in rounds unless some are named`() throws {
    let all = try BenchCompareOptions(parse("bench compare --base main"), in: .current)
    #expect(all.base == .commit("main"))
    #expect(all.head == .this)
    #expect(all.launches == 20)
    #expect(all.historySize == 10_000)
    #expect(all.subjects.contains("fetch newest 10"))
    #expect(!all.subjects.contains("purge lock"))
    let line = "bench compare --base a --head b --only FETCH --launches 7 --size 1000"
    let some = try BenchCompareOptions(parse(line), in: .current)
    #expect(some.head == .commit("b"))
    #expect(some.subjects.contains("fetch newest 1000"))
    #expect(some.subjects.allSatisfy { $0.hasPrefix("fetch ") })
  }

  @Test func `Benchmarks that need a longer history are left out and named`() throws {
    let line = "bench compare --base a --only fetch --only purge --size"
    let few = try BenchCompareOptions(parse(line + " 100"), in: .current)
    #expect(few.leftOut == ["fetch newest 1000", "fetch by author", "purge 1000"])
    #expect(few.subjects.contains("fetch newest 100"))
    #expect(Set(few.subjects).isDisjoint(with: few.leftOut))
    let more = try BenchCompareOptions(parse(line + " 800"), in: .current)
    #expect(more.leftOut == ["fetch newest 1000", "purge 1000"])
    #expect(try BenchCompareOptions(parse(line + " 1000"), in: .current).leftOut == [])
    let alone = "bench compare --base a --size 999 --only \"fetch newest 1000\""
    #expect(
      throws: LabError.usage(
        "--size 999: fetch newest 1000 cannot be measured on so few transactions. Give 1,000 or more."
      )
    ) { try BenchCompareOptions(parse(alone), in: .current) }
  }

  // MARK: Runs

  @Test func `The newest run is named if its results are damaged, and no older one is kept`()
    async throws
  {
    try await withRuns { runs in
      try write(rows(steps: 607), to: "\(runs)/20260101T000000Z-bench")
      try write(rows(steps: 608), to: "\(runs)/20260102T000000Z-bench")
      try makeFile("\(runs)/20260102T000000Z-bench/results.json", "{\"rows\": [")
      let words = ["--output", runs]
      let kept = await run(["bench", "baseline", "save", "before"] + words)
      #expect(kept.code == .usage)
      #expect(kept.errors.contains("20260102T000000Z-bench/results.json"))
    }
  }

  private func withRuns(_ body: (String) async throws -> Void) async throws {
    try await withFolder { folder in
      try FileManager.default.createDirectory(
        atPath: folder + "/runs",
        withIntermediateDirectories: false
      )
      try await body(folder + "/runs")
    }
  }

  private func write(
    _ rows: [BenchmarkRow],
    commit: String? = "abc123",
    to folder: String
  ) throws {
    let environment = RunEnvironment.current(
      sqlite: "3.40.1",
      commit: commit,
      time: .now(),
      seed: 1
    )
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let json = try ResultsFile.json(BenchmarkResults(environment: environment, rows: rows))
    try json.write(toFile: folder + "/results.json", atomically: true, encoding: .utf8)
    try makeFile(folder + "/run.json", "{}")
  }

  /// A timed row of an existing benchmark, with a ratio to the floor of little uncertainty.
  private func times(ratio: Double, size: Int = 1_000, axis: String? = nil) -> [BenchmarkRow] {
    let subject = Subjects.all.filter { $0.name == "fetch newest 10" }
    return subject.map { subject in
      var row = BenchmarkRow(
        subject: subject.part,
        operation: subject.operation,
        condition: subject.condition,
        contender: BenchmarkSubject.ours,
        historySize: size,
        metric: .cpu,
        samples: [ratio],
        ratio: RatioEstimate(
          to: "SQLite",
          logRatios: Array(repeating: log(ratio), count: 5),
          bootstrap: Bootstrap(resamples: 100, seed: 1)
        ),
        seed: 1
      )
      row.axis = axis
      return row
    }
  }

  private func rows(steps: Double) -> [BenchmarkRow] {
    [(Metric.vmSteps, steps), (.pageReads, 4)].map { metric, value in
      BenchmarkRow(
        subject: "fetch",
        operation: "newest",
        condition: "warm",
        contender: "Store",
        historySize: 1_000,
        metric: metric,
        samples: [value],
        seed: 1
      )
    }
  }
}
