package import Measuring

extension BenchmarkResults {
  /// The columns of `results.csv`, which has one row per benchmark, contender, size and metric.
  ///
  /// `ci_lo` and `ci_hi` bound the median, `ratio_lo` and `ratio_hi` the cost relative to
  /// `ratio_to`.
  package static let csvColumns = [
    "run", "commit", "time", "bench", "peer", "size", "metric", "unit", "n", "min", "p5", "p25",
    "p50", "p75", "p90", "p95", "p99", "max", "mean", "ci_lo", "ci_hi", "ratio_to", "ratio",
    "ratio_lo", "ratio_hi", "outliers", "severe_outliers", "seed", "not_measured",
  ]

  /// Returns the rows in long form; unmeasured values are empty, never zero.
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
