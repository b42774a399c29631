import Basics
package import Measuring

/// Exports benchmark results in formats of other programs.
package struct ResultsExport: Sendable {
  package let results: BenchmarkResults

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
    return try JSONText.snakeCased(document) + "\n"
  }

  /// Returns data for github-action-benchmark, in its format where smaller values are better.
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
    ) + "\n"
  }

  /// The rows that have measured numbers, with their summaries.
  var rows: [(row: BenchmarkRow, summary: SampleSummary)] {
    results.rows.compactMap { row in row.summary.map { (row, $0) } }
  }

  /// Returns a row's name without its metric: benchmark, contender and size of history.
  static func name(_ row: BenchmarkRow) -> String {
    "\(row.title)/\(row.contender)/\(row.historySize)"
  }

  /// Returns the name of a metric in Bencher; wall time has Bencher's built-in name `latency`.
  private static func measure(_ metric: Metric) -> String {
    metric == .wall ? "latency" : PageSection.anchor(from: metric.name)
  }
}

extension BenchmarkResults {
  /// The columns of `results.csv`, which has one row per benchmark, contender, size and metric.
  ///
  /// `ci_lo` and `ci_hi` are the bounds of the median's interval; `ratio_lo` and `ratio_hi` those of the
  /// cost relative to `ratio_to`.
  package static let csvColumns = [
    "run", "commit", "time", "bench", "peer", "size", "metric", "unit", "n", "min", "p5", "p25",
    "p50", "p75", "p90", "p95", "p99", "max", "mean", "ci_lo", "ci_hi", "ratio_to", "ratio",
    "ratio_lo", "ratio_hi", "outliers", "severe_outliers", "seed", "not_measured",
  ]

  /// Returns one CSV row per measured value; an unmeasured value is empty, never zero.
  package func csv(run: String) -> String {
    var writer = CSVWriter(columns: Self.csvColumns)
    for row in rows {
      let head = [run, environment.commit ?? "", environment.time.description]
      writer.append(head + name(of: row) + numbers(of: row) + tail(of: row))
    }
    return writer.text
  }

  private func name(of row: BenchmarkRow) -> [String] {
    [row.title, row.contender, String(row.historySize), row.metric.name, row.metric.unit]
  }

  private func numbers(of row: BenchmarkRow) -> [String] {
    guard let summary = row.summary else { return [String](repeating: "", count: 11) }
    let percentiles = [
      summary.min, summary.p5, summary.p25, summary.p50, summary.p75, summary.p90, summary.p95,
      summary.p99, summary.max, summary.mean,
    ]
    return [String(summary.count)] + percentiles.map(NumberText.exact)
  }

  private func tail(of row: BenchmarkRow) -> [String] {
    let ratio = row.ratio?.interval
    let numbers = [
      row.median?.lower, row.median?.upper, ratio?.estimate, ratio?.lower, ratio?.upper,
    ].map { $0.map(NumberText.exact) ?? "" }
    let outliers = row.summary?.outliers
    return [
      numbers[0], numbers[1], row.ratio?.to ?? "", numbers[2], numbers[3], numbers[4],
      outliers.map { String($0.count) } ?? "", outliers.map { String($0.severe) } ?? "",
      "0x" + String(row.seed, radix: 16), row.notMeasured ?? "",
    ]
  }
}

extension ComplexityVerdicts {
  /// The columns of `complexity.csv`, which has one row per benchmark, contender and metric.
  package static let csvColumns = [
    "run", "bench", "peer", "metric", "verdict", "confidence", "law", "growth", "growth_lo",
    "growth_hi", "tail_slope", "tail_slope_lo", "tail_slope_hi", "why_inconclusive", "disagreement",
  ]

  /// Returns the complexity verdicts of all times and counts as CSV.
  package func csv(run: String) -> String {
    var writer = CSVWriter(columns: Self.csvColumns)
    for entry in entries {
      let verdicts = [
        ("time", entry.time), (Metric.vmSteps.name, entry.steps),
        (Metric.pageReads.name, entry.pages),
      ]
      for case (let metric, let verdict?) in verdicts {
        let name = [run, entry.title, entry.contender, metric]
        writer.append(name + fields(of: verdict) + [entry.disagreement ?? ""])
      }
    }
    return writer.text
  }

  private func fields(of verdict: ComplexityVerdict) -> [String] {
    let numbers = [verdict.growth, verdict.tailSlope].flatMap { interval in
      [interval?.estimate, interval?.lower, interval?.upper].map {
        $0.map(NumberText.exact) ?? ""
      }
    }
    return [
      verdict.complexity.rawValue, NumberText.exact(verdict.confidence),
      verdict.fit?.model.rawValue ?? "",
    ] + numbers + [verdict.because ?? ""]
  }
}

/// A writer of comma-separated values (RFC 4180, except that lines end with a line feed).
package struct CSVWriter: Sendable {
  /// The text written so far.
  package private(set) var text = ""

  /// Creates a writer and writes the column names as the first line.
  package init(columns: [String]) { append(columns) }

  /// Writes one row.
  package mutating func append(_ fields: [String]) {
    text += fields.map(Self.quoted).joined(separator: ",") + "\n"
  }

  /// Returns a field unchanged, or in quotes if it contains special characters or outer spaces.
  package static func quoted(_ field: String) -> String {
    let needsQuotes = field.utf8.contains { byte in
      [UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(byte)
    }
    let hasOuterSpace = field.first == " " || field.last == " "
    guard needsQuotes || hasOuterSpace else { return field }
    return "\""
      + field.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"") + "\""
  }
}
