#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A comparison of two builds by pairs of launches.
///
/// Each launch counts as one number, however many samples it has, because the placement of code and
/// pages in memory varies from launch to launch.
package struct LaunchComparison: Sendable {
  /// The identity of a compared row: one contender at one size on one clock.
  package struct Key: Sendable, Hashable {
    /// The title of the benchmark.
    package let title: String
    /// The name of the contender.
    package let contender: String
    /// The size of history, in transactions.
    package let historySize: Int
    /// The metric of the clock.
    package let metric: Metric

    init(_ row: BenchmarkRow) {
      title = row.title
      contender = row.contender
      historySize = row.historySize
      metric = row.metric
    }
  }

  /// A row of both builds with its verdict.
  package struct Judged: Sendable, Hashable {
    /// The identity of the row.
    package let key: Key
    /// The verdict on the row.
    package let verdict: GateVerdict
  }

  /// The gate that judges the rows.
  package let gate: RegressionGate
  private var keys: [Key] = []
  private var evidence: [Key: RegressionGate.Evidence] = [:]

  /// Creates a comparison without launches.
  package init(gate: RegressionGate) { self.gate = gate }

  /// Adds a pair of consecutive launches of the first stage.
  package mutating func add(base: [BenchmarkRow], head: [BenchmarkRow]) {
    for (key, ratio) in Self.logRatios(base, head) {
      if evidence[key] == nil {
        keys.append(key)
        evidence[key] = RegressionGate.Evidence(first: [])
      }
      evidence[key]?.first.append(ratio)
    }
  }

  /// The rows that have to be measured again.
  package var suspects: [Key] {
    keys.filter { evidence[$0].map { gate.wantsSecondLook($0.first) } ?? false }
  }

  /// Adds a pair of launches of the second stage, for the given rows only.
  package mutating func addAgain(
    base: [BenchmarkRow],
    head: [BenchmarkRow],
    for suspects: Set<Key>
  ) {
    for (key, ratio) in Self.logRatios(base, head) where suspects.contains(key) {
      guard var row = evidence[key] else { continue }
      row.second = (row.second ?? []) + [ratio]
      evidence[key] = row
    }
  }

  /// The verdicts on all rows, judged together, in the order of measuring.
  package var judged: [Judged] {
    let verdicts = gate.judge(keys.compactMap { evidence[$0] })
    return zip(keys, verdicts).map { Judged(key: $0, verdict: $1) }
  }

  /// Returns the log ratios of head to base, by their medians, for every timed row of both.
  private static func logRatios(
    _ base: [BenchmarkRow],
    _ head: [BenchmarkRow]
  ) -> [(Key, Double)] {
    var before: [Key: Double] = [:]
    for row in base where row.metric.kind != .exact { before[Key(row)] = row.summary?.p50 }
    return head.compactMap { row in
      guard row.metric.kind != .exact, let was = before[Key(row)], let now = row.summary?.p50,
        was > 0, now > 0
      else { return nil }
      return (Key(row), log(now / was))
    }
  }
}
