#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Compares two builds by pairs of launches: what a launch measured is one number, however many samples
/// it took, for where code and pages come to lie is drawn once a launch.
package struct LaunchComparison: Sendable {
  /// What is compared: one contender at one size on one clock.
  package struct Key: Sendable, Hashable {
    /// The benchmark.
    package let title: String
    /// Who was measured.
    package let contender: String
    /// The size of history, in transactions.
    package let historySize: Int
    /// The clock.
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
    /// What was compared.
    package let key: Key
    /// What came of it.
    package let verdict: GateVerdict
  }

  /// The rule by which rows are judged.
  package let gate: RegressionGate
  private var keys: [Key] = []
  private var evidence: [Key: RegressionGate.Evidence] = [:]

  /// Makes a comparison without launches.
  package init(gate: RegressionGate) { self.gate = gate }

  /// Takes up a pair of neighbouring launches of the first look.
  package mutating func add(base: [BenchmarkRow], head: [BenchmarkRow]) {
    for (key, ratio) in Self.logRatios(base, head) {
      if evidence[key] == nil {
        keys.append(key)
        evidence[key] = RegressionGate.Evidence(first: [])
      }
      evidence[key]?.first.append(ratio)
    }
  }

  /// The rows that are to be measured again.
  package var suspects: [Key] {
    keys.filter { evidence[$0].map { gate.wantsSecondLook($0.first) } ?? false }
  }

  /// Takes up a pair of launches of the second look, for the rows that it was made for.
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

  /// Judges all rows together, in the order of measuring.
  package var judged: [Judged] {
    let verdicts = gate.judge(keys.compactMap { evidence[$0] })
    return zip(keys, verdicts).map { Judged(key: $0, verdict: $1) }
  }

  /// The logarithm of head beside base, by their medians, of every timed row that both have.
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
