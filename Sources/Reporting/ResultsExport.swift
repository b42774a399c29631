package import Measuring

/// Exports benchmark results in formats of other programs.
package struct ResultsExport: Sendable {
  /// The results to export.
  package let results: BenchmarkResults

  /// Creates an export.
  package init(_ results: BenchmarkResults) { self.results = results }

  /// Returns Bencher Metric Format: values with bounds, by benchmark and measure.
  ///
  /// See https://bencher.dev/docs/reference/bencher-metric-format/.
  ///
  /// - Throws: `EncodingError` for NaN and infinity.
  package func bencher() throws -> String {
    struct Value: Encodable {
      let value: Double
      let lowerValue: Double?
      let upperValue: Double?
    }
    var document: [String: [String: Value]] = [:]
    for row in rows {
      let value = Value(
        value: row.summary.p50,
        lowerValue: row.row.median?.lower,
        upperValue: row.row.median?.upper
      )
      document[Self.name(row.row), default: [:]][Self.measure(row.row.metric)] = value
    }
    return try JSONText.snakeCased(document)
  }

  /// Returns custom data for github-action-benchmark, where smaller values are better.
  ///
  /// See https://github.com/benchmark-action/github-action-benchmark, `customSmallerIsBetter`.
  ///
  /// - Throws: `EncodingError` for NaN and infinity.
  package func githubAction() throws -> String {
    struct Entry: Encodable {
      let name: String
      let unit: String
      let value: Double
      let range: String?
      let extra: String
    }
    return try JSONText.of(
      rows.map { row in
        let half = row.row.median.map { ($0.upper - $0.lower) / 2 }
        return Entry(
          name: "\(Self.name(row.row)) (\(row.row.metric.name))",
          unit: row.row.metric.unit,
          value: row.summary.p50,
          range: half.map { "\u{B1} " + NumberText.rounded($0) },
          extra: "samples: \(row.summary.count)\nseed: 0x\(String(row.row.seed, radix: 16))"
        )
      }
    )
  }

  /// The rows with numbers.
  var rows: [(row: BenchmarkRow, summary: SampleSummary)] {
    results.rows.compactMap { row in row.summary.map { (row, $0) } }
  }

  /// Returns a row's name without its metric: benchmark, contender and size of history.
  static func name(_ row: BenchmarkRow) -> String {
    "\(row.title)/\(row.contender)/\(row.historySize)"
  }

  /// Returns Bencher's name for a metric; wall time is its built-in measure `latency`.
  private static func measure(_ metric: Metric) -> String {
    metric == .wall ? "latency" : PageSection.anchor(from: metric.name)
  }
}
