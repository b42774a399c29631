package import Measuring

/// A chart of an operation's cost by size of history; both axes are logarithmic.
///
/// A constant cost appears as a horizontal line; a linear cost rises one decade per decade. The
/// band extends from the 5th to the 95th percentile. A dashed line shows the complexity that fits
/// the points best.
package struct CostChart: Sendable, Hashable {
  /// The percentiles of the cost at one size of history.
  package struct Point: Sendable, Hashable {
    /// The size of history, in transactions.
    package var size: Int
    package var summary: SampleSummary

    package init(size: Int, summary: SampleSummary) {
      self.size = size
      self.summary = summary
    }
  }

  /// One contender's curve.
  package struct Series: Sendable, Hashable {
    package var contender: String
    /// The points, smallest size first.
    package var points: [Point]
    /// The cost model that fits the points best; `nil` if none was fitted, or it is uncertain.
    package var fit: CostFit?

    package init(contender: String, points: [Point], fit: CostFit? = nil) {
      self.contender = contender
      self.points = points
      self.fit = fit
    }
  }

  package var id: String
  /// The title of the operation.
  package var title: String
  /// The unit of the samples.
  package var unit: String
  /// The title of the horizontal axis, which shows the sizes.
  package var sizeTitle = "transactions in history"
  /// The unit of the sizes; the default is `transactions`.
  package var sizeName = "transactions"
  /// The curves, one per contender.
  package var series: [Series]
  package var palette: ContenderPalette

  package init(
    id: String,
    title: String,
    unit: String,
    series: [Series],
    palette: ContenderPalette
  ) {
    self.id = id
    self.title = title
    self.unit = unit
    self.series = series
    self.palette = palette
  }

  /// The chart with its Vega-Lite specification and its texts.
  package var chart: Chart {
    Chart(
      id: id,
      summary: summary,
      spec: spec,
      legend: palette.legend(for: contenders),
      note: note
    )
  }

  private var note: String {
    let reach = "reach from the 5th to the 95th percentile"
    let spread =
      hasManySizes ? "Dots are medians, bands \(reach)" : "Dots are medians, bars \(reach)"
    return spread + (hasFits ? ", dashed lines are the best fit." : ".")
  }

  /// Whether a contender was measured at five or more sizes, so that a band is drawn.
  ///
  /// For fewer sizes, the chart draws a bar at each size instead of the band of percentiles. A band
  /// would suggest values that were not measured.
  var hasManySizes: Bool { (series.map(\.points.count).max() ?? 0) >= 5 }

  var hasFits: Bool { series.contains { $0.fit != nil } }

  var contenders: [String] { series.map(\.contender) }

  private var summary: String {
    let ends = series.compactMap { series -> String? in
      guard let first = series.points.first, let last = series.points.last else { return nil }
      return "\(series.contender) from \(cost(first.summary.p50)) at "
        + "\(NumberText.count(first.size)) to \(cost(last.summary.p50)) at "
        + "\(NumberText.count(last.size)) \(sizeName)"
    }
    return "\(title): cost against the number of \(sizeTitle). " + ends.joined(separator: "; ")
      + "."
  }

  func label(_ contender: String, _ point: Point) -> String {
    "\(contender), \(NumberText.count(point.size)): \(cost(point.summary.p50)) "
      + "(\(cost(point.summary.p5)) \u{2013} \(cost(point.summary.p95)))"
  }

  private func cost(_ value: Double) -> String { NumberText.quantity(value, unit: unit) }
}

extension CostChart {
  var spec: ChartSpec {
    var layers = [hasManySizes ? band : whiskers, line]
    if hasFits { layers.append(dashedFit) }
    layers.append(marks)
    return [
      "width": 340, "height": 230, "padding": 4, "config": ChartStyle.config,
      "data": ["values": .list(series.flatMap(values))],
      "encoding": [
        "x": x, "color": palette.color(for: contenders),
      ],
      "layer": .list(layers),
    ]
  }

  private func values(of series: Series) -> [ChartSpec] {
    series.points.map { point in
      var value: [String: ChartSpec] = [
        "contender": .text(series.contender), "size": .number(Double(point.size)),
        "middle": .number(point.summary.p50), "low": .number(point.summary.p5),
        "high": .number(point.summary.p95), "label": .text(label(series.contender, point)),
      ]
      if let fit = series.fit { value["fit"] = .number(fit.cost(at: point.size)) }
      return .object(value)
    }
  }

  private var band: ChartSpec {
    [
      "mark": ["type": "area", "opacity": 0.16, "aria": false],
      "encoding": ["y": y(of: "low"), "y2": ["field": "high"]],
    ]
  }

  private var whiskers: ChartSpec {
    [
      "mark": ["type": "rule", "strokeWidth": 1.5, "opacity": 0.6, "aria": false],
      "encoding": ["y": y(of: "low"), "y2": ["field": "high"]],
    ]
  }

  private var line: ChartSpec {
    [
      "mark": ["type": "line", "strokeWidth": 2, "aria": false],
      "encoding": ["y": y(of: "middle")],
    ]
  }

  private var dashedFit: ChartSpec {
    [
      "transform": [["filter": "isValid(datum.fit)"]],
      "mark": ["type": "line", "strokeWidth": 1.2, "strokeDash": [5, 4], "aria": false],
      "encoding": ["y": y(of: "fit")],
    ]
  }

  private var marks: ChartSpec {
    [
      "mark": ["type": "point", "filled": true, "size": 60, "opacity": 1],
      "encoding": [
        "y": y(of: "middle"),
        "shape": palette.shape(for: contenders),
        "description": ["field": "label"],
      ],
    ]
  }

  private var x: ChartSpec {
    let decades = ChartStyle.decades(around: series.flatMap { $0.points.map { Double($0.size) } })
    return [
      "field": "size", "type": "quantitative", "title": .text(sizeTitle),
      "scale": ["type": "log", "nice": false, "padding": 10],
      "axis": [
        "values": .list(decades.map { .number(ChartStyle.power($0)) }), "format": "~s",
        "grid": false,
      ],
    ]
  }

  private func y(of field: String) -> ChartSpec {
    let values = series.flatMap { $0.points.flatMap { [$0.summary.p5, $0.summary.p95] } }
    let decades = ChartStyle.decades(around: values.filter { $0 > 0 })
    let ends = [decades.lowerBound, decades.upperBound].map { ChartStyle.power($0) }
    return [
      "field": .text(field), "type": "quantitative",
      "scale": ["type": "log", "nice": false, "domain": .list(ends.map(ChartSpec.number))],
      "axis": [
        "title": .text(unit == "ns" ? "time of one operation" : unit), "ticks": false,
        "values": .list(ChartStyle.ticks(over: decades).map(ChartSpec.number)),
        "labelExpr": .text(tickText),
      ],
    ]
  }

  /// The expression that formats ticks: 1,000,000 nanoseconds appear as `1 ms`.
  private var tickText: String {
    unit == "ns" ? Self.nanosecondTicks : "format(datum.value, '~s')"
  }

  static var nanosecondTicks: String {
    "datum.value >= 1e9 ? datum.value / 1e9 + ' s' : datum.value >= 1e6 ? "
      + "datum.value / 1e6 + ' ms' : datum.value >= 1e3 ? datum.value / 1e3 + ' \u{B5}s' : "
      + "datum.value + ' ns'"
  }
}
