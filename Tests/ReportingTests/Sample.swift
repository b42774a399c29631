import Measuring

@testable import Reporting

/// Simulated results with unusual names, for tests of every report.
enum Sample {
  static let environment = RunEnvironment(
    machine: "A <Machine> & Co",
    system: "Debian",
    processors: 2,
    memory: 4_294_967_296,
    swift: "6.3.1",
    sqlite: "3.40.1",
    commit: "abc123",
    time: UTCTime(secondsSince1970: 1_770_091_506),
    seed: 42,
    optimized: true
  )

  /// Two contenders in one or more benchmarks at the given sizes; ours costs 1.5 times the floor.
  static func results(
    sizes: [Int] = [1_000, 10_000, 100_000],
    operations: [String] = ["newest 100"],
    contenders: [String] = ["raw SQLite", "ours"],
    rounds: Int = 10
  ) throws -> BenchmarkResults {
    var rows: [BenchmarkRow] = []
    for operation in operations {
      for size in sizes {
        let rounds = (0..<rounds).map { round in
          InterleavedResult.Round(
            order: Array(contenders.indices),
            readings: contenders.indices.map { readings(of: $0, round: round) }
          )
        }
        let topic = RowTopic(
          subject: "fetch",
          operation: operation,
          condition: "",
          historySize: size
        )
        rows += try InterleavedResult(names: contenders, seed: 7, rounds: rounds)
          .rows(about: topic, floor: contenders[0])
      }
    }
    return BenchmarkResults(environment: environment, rows: rows)
  }

  private static func readings(of contender: Int, round: Int) -> [Elapsed] {
    [0, 1].map { half in
      let time = Double(20_000 + 10_000 * contender + 100 * (2 * round + half))
      return Elapsed(wall: time, cpu: time - 1_000)
    }
  }
}
