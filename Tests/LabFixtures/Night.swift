import Foundation
import Measuring
package import Reporting

/// Simulated runs of benchmarks, as their folders.
package struct Night {
  package let folder: String

  package init(_ folder: String) { self.folder = folder }

  /// Creates a run in which our code has the given cost, and the floor costs 500.
  package func bench(
    _ name: String,
    ours: Double,
    day: Int = 1,
    verdict: String? = "valid",
    shard: Shard? = nil,
    change: (inout RunRecord) -> Void = { _ in }
  ) throws -> String {
    let time = UTCTime(secondsSince1970: 1_767_225_600 + Int64(day - 1) * 86_400)
    let environment = RunEnvironment(
      machine: "M",
      system: "Debian",
      processors: 2,
      memory: 1_024,
      swift: "6.3.1",
      sqlite: "3.40.1",
      commit: "abc",
      time: time,
      seed: 42,
      optimized: true
    )
    var record = RunRecord(verb: "bench", commandLine: ["bench"], environment: environment)
    record.verdict = verdict
    record.because = verdict == nil ? nil : "measured"
    record.shard = shard
    change(&record)
    let path = folder + "/" + name
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let encoder = JSONEncoder()
    try encoder.encode(record).write(to: URL(fileURLWithPath: path + "/run.json"))
    let results = BenchmarkResults(environment: record.environment, rows: Self.rows(ours))
    try makeFile(path + "/results.json", ResultsFile.json(results))
    return path
  }

  private static func rows(_ ours: Double) -> [BenchmarkRow] {
    func row(_ contender: String, _ cost: Double) -> BenchmarkRow {
      BenchmarkRow(
        subject: "fetch",
        operation: "newest 100",
        condition: "warm",
        contender: contender,
        historySize: 1_000,
        metric: .wall,
        samples: [cost, cost],
        seed: 7
      )
    }
    var mine = row("Store", ours)
    mine.ratio = RatioEstimate(
      to: "raw SQLite in C",
      logRatios: [log(ours / 500)],
      bootstrap: Bootstrap(resamples: 1, seed: 1)
    )
    return [row("raw SQLite in C", 500), mine]
  }
}
