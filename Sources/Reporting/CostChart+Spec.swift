import Measuring

extension CostChart {
  /// The Vega-Lite specification.
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
      "field": "size", "type": "quantitative", "title": "transactions in history",
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

  /// The expression that formats ticks; nanoseconds appear as `1 ms`, not `1000000`.
  private var tickText: String {
    unit == "ns" ? Self.nanosecondTicks : "format(datum.value, '~s')"
  }

  static var nanosecondTicks: String {
    "datum.value >= 1e9 ? datum.value / 1e9 + ' s' : datum.value >= 1e6 ? "
      + "datum.value / 1e6 + ' ms' : datum.value >= 1e3 ? datum.value / 1e3 + ' \u{B5}s' : "
      + "datum.value + ' ns'"
  }
}
