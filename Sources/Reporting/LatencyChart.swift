import Measuring

/// A chart of latency by percentile, with one curve per series.
struct LatencyChart {
  /// One curve of the chart: a name and its samples.
  struct Series {
    let name: String
    let samples: SortedSamples
  }
  let id: String
  let series: [Series]
  let palette: ContenderPalette

  /// The percentiles to show, as shares from 0 to 1.
  ///
  /// A percentile is left out if there are too few samples for it.
  static let shares = [0, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999]

  var chart: Chart {
    Chart(
      id: id,
      summary: "Latency by percentile. " + series.map(summarized).joined(separator: "; ") + ".",
      spec: spec,
      legend: palette.legend(for: series.map(\.name)),
      note:
        "At each mark of the axis, ten times fewer samples are slower than at the mark before it."
    )
  }

  /// Returns the percentiles to show for some samples, as shares from 0 to 1 (``shares``).
  ///
  /// A percentile is left out unless at least one sample lies above it: 0.99 needs 100 samples.
  static func shares(of samples: SortedSamples) -> [Double] {
    shares.filter { (1 - $0) * Double(samples.values.count) >= 1 }
  }

  /// Returns a share in per cent, such as 99.9 %.
  static func name(_ share: Double) -> String {
    NumberText.exact((share * 1_000_000).rounded() / 10_000) + " %"
  }

  private func summarized(_ series: Series) -> String {
    let most = series.samples.quantile(1)
    return
      "\(series.name): half within \(NumberText.time(nanoseconds: series.samples.median)), all "
      + "within \(NumberText.time(nanoseconds: most))"
  }

  private var spec: ChartSpec {
    let names = series.map(\.name)
    return [
      "width": 340, "height": 230, "padding": 4, "config": ChartStyle.config,
      "data": ["values": .list(series.flatMap(values))],
      "encoding": [
        "x": [
          "field": "nines", "type": "quantitative", "title": "percentile",
          "scale": ["nice": false, "padding": 10],
          "axis": [
            "values": [0, 1, 2, 3, 4], "grid": false,
            "labelExpr":
              "datum.value == 0 ? '0 %' : datum.value == 1 ? '90 %' : datum.value == 2 ? '99 %' : datum.value == 3 ? '99.9 %' : '99.99 %'",
          ],
        ],
        "y": y,
        "color": palette.color(for: names),
      ],
      "layer": [
        ["mark": ["type": "line", "strokeWidth": 2, "aria": false]],
        [
          "mark": ["type": "point", "filled": true, "size": 50, "opacity": 1],
          "encoding": ["shape": palette.shape(for: names), "description": ["field": "label"]],
        ],
      ],
    ]
  }

  private var y: ChartSpec {
    let decades = ChartStyle.decades(around: series.flatMap { $0.samples.values })
    let ends = [decades.lowerBound, decades.upperBound].map { ChartStyle.power($0) }
    return [
      "field": "latency", "type": "quantitative",
      "scale": ["type": "log", "nice": false, "domain": .list(ends.map(ChartSpec.number))],
      "axis": [
        "title": "latency", "ticks": false, "labelExpr": .text(CostChart.nanosecondTicks),
        "values": .list(ChartStyle.ticks(over: decades).map(ChartSpec.number)),
      ],
    ]
  }

  private func values(of series: Series) -> [ChartSpec] {
    Self.shares(of: series.samples).map { share in
      let latency = series.samples.quantile(share)
      return [
        "contender": .text(series.name), "nines": .number(Self.nines(share)),
        "latency": .number(latency),
        "label": .text(
          "\(series.name), \(Self.name(share)): \(NumberText.time(nanoseconds: latency))"
        ),
      ]
    }
  }

  /// Returns the number of nines of a share: 1 for 0.9, 2 for 0.99.
  private static func nines(_ share: Double) -> Double {
    var (rest, nines) = (1 - share, 0.0)
    while rest < 0.1 - 1e-9 {
      rest *= 10
      nines += 1
    }
    return nines + (1 - rest) / 0.9
  }
}

extension BenchmarkReport {
  /// Returns the section with the latency percentiles of rows without a ratio to another contender.
  ///
  /// Rows for signals are an example. Three kinds of rows are left out: those with fewer than 100
  /// samples, which do not show the slowest operations; those of benchmarks with a cost curve; and
  /// those of contenders with which others are compared. The result is `nil` if no row remains.
  func latencySection() -> PageSection? {
    let rows = results.rows.filter { row in
      row.metric.kind == .wall && row.ratio == nil && row.samples.count >= 100
        && !hasSeries(row.title) && !floors.contains(row.contender)
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
          "Percentiles of an operation's time: one operation of ten is slower than the 90th "
            + "percentile, one of a hundred slower than the 99th. A percentile is reported only where "
            + "at least one sample lies beyond it."
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
      caption: "The latency that each share of the samples does not exceed",
      columns: [.text("series"), .number("samples")]
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
