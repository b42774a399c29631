import Measuring

extension BenchmarkReport {
  /// Returns latency percentiles of signal and planned-rate benchmarks, or `nil` without any.
  ///
  /// Only rows with at least 100 samples are included, since fewer do not describe slow operations.
  func latencySection() -> PageSection? {
    let rows = results.rows.filter { row in
      row.metric.kind == .wall && row.ratio == nil && row.samples.count >= 100
        && !hasCourse(row.title) && !floors.contains(row.contender)
    }
    guard !rows.isEmpty else { return nil }
    let titles = Set(rows.map(\.title))
    let series = rows.prefix(ContenderPalette.series.count).map { row in
      LatencyChart.Series(
        name: titles.count == 1 ? row.contender : "\(row.contender), \(shortened(row.title))",
        samples: SortedSamples(row.samples)
      )
    }
    let palette = ContenderPalette(contenders: series.map(\.name), floors: [])
    let chart = LatencyChart(id: "latency", series: Array(series), palette: palette)
    return PageSection(
      "Latency by percentile",
      anchor: "latency",
      [
        .paragraph(
          "How long the slowest took: of ten, of a hundred, of a thousand. A percentile is told only "
            + "where at least one sample lies beyond it."
        ),
        .figure(
          Figure(chart: chart.chart, table: Self.table(series), values: Self.values(series))
        ),
      ]
    )
  }

  private static func table(_ series: [LatencyChart.Series]) -> ReportTable {
    let shares = LatencyChart.shares
    var table = ReportTable(
      caption: "Latency within which so many samples lie",
      columns: [.text("what"), .number("samples")]
        + shares.map { .number(LatencyChart.name($0)) } + [.number("most")]
    )
    for one in series {
      let known = LatencyChart.shares(of: one.samples)
      let cells = shares.map {
        known.contains($0) ? NumberText.time(nanoseconds: one.samples.quantile($0)) : ""
      }
      let most = NumberText.time(nanoseconds: one.samples.quantile(1))
      let count = NumberText.count(one.samples.values.count)
      table.append(
        ReportTable.Row([one.name, count] + cells + [most], anchor: anchor("latency", [one.name]))
      )
    }
    return table
  }

  private static func values(_ series: [LatencyChart.Series]) -> ReportTable {
    var values = ReportTable(columns: ["what", "share", "latency_ns"].map { .text($0) })
    for one in series {
      for share in LatencyChart.shares(of: one.samples) + [1] {
        values.append([
          one.name, NumberText.exact(share), NumberText.rounded(one.samples.quantile(share)),
        ])
      }
    }
    return values
  }
}
