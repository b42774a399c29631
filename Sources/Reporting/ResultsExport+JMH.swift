import Measuring

extension ResultsExport {
  /// The JSON of JMH, as `-rf json` writes it and jmh.morethan.io draws it
  /// (https://github.com/openjdk/jmh, `JSONResultFormat`).
  ///
  /// - Throws: `EncodingError`, for a number that is none.
  package func jmh() throws -> String {
    try JSONText.of(
      rows.filter { $0.row.metric == .wall }.map { JMHRow($0.row, $0.summary, results.environment) }
    )
  }
}

private struct JMHRow: Encodable {
  struct Score: Encodable {
    let score: Double
    let scoreError: Double
    let scoreConfidence: [Double]
    let scorePercentiles: [String: Double]
    let scoreUnit = "ns/op"
    /// By fork and iteration each value with how often it was measured.
    let rawDataHistogram: [[[[Double]]]]
  }
  let jmhVersion = "1.37"
  let benchmark: String
  let mode = "sample"
  let threads = 1
  let forks = 1
  let jvm = "none"
  let jvmArgs: [String] = []
  let jdkVersion: String
  let vmName = "Swift"
  let vmVersion: String
  let warmupIterations = 1
  let warmupTime = "0 s"
  let warmupBatchSize = 1
  let measurementIterations: Int
  let measurementTime = "0 s"
  let measurementBatchSize = 1
  let params: [String: String]
  let primaryMetric: Score
  let secondaryMetrics: [String: Score] = [:]

  init(_ row: BenchmarkRow, _ summary: SampleSummary, _ environment: RunEnvironment) {
    // A dot parts class and method: our names have dots of their own.
    let subject = PageSection.anchor(from: row.subject)
    let operation = PageSection.anchor(from: row.operation.isEmpty ? "run" : row.operation)
    benchmark = "historylab.\(subject).\(operation)"
    jdkVersion = environment.swift
    vmVersion = environment.swift
    measurementIterations = summary.count
    params = [
      "contender": row.contender, "history": String(row.historySize), "condition": row.condition,
    ]
    let interval = row.median
    primaryMetric = Score(
      score: summary.p50,
      scoreError: interval.map { ($0.upper - $0.lower) / 2 } ?? 0,
      scoreConfidence: interval.map { [$0.lower, $0.upper] } ?? [summary.p50, summary.p50],
      scorePercentiles: Self.percentiles(of: row.samples),
      rawDataHistogram: [[Self.histogram(of: row.samples)]]
    )
  }

  /// The percentiles that JMH tells of every benchmark.
  private static func percentiles(of samples: [Double]) -> [String: Double] {
    let sorted = SortedSamples(samples)
    let shares = [
      "0.0": 0, "50.0": 0.5, "90.0": 0.9, "95.0": 0.95, "99.0": 0.99, "99.9": 0.999,
      "99.99": 0.9999, "99.999": 0.99999, "99.9999": 0.999999, "100.0": 1,
    ]
    return shares.mapValues(sorted.quantile)
  }

  private static func histogram(of samples: [Double]) -> [[Double]] {
    Dictionary(grouping: samples) { $0 }.map { [$0, Double($1.count)] }
      .sorted { $0[0] < $1[0] }
  }
}
