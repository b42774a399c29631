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
    let rawData: [[Double]]
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
      scorePercentiles: [
        "0.0": summary.min, "50.0": summary.p50, "90.0": summary.p90, "95.0": summary.p95,
        "99.0": summary.p99, "100.0": summary.max,
      ],
      rawData: [row.samples]
    )
  }
}
