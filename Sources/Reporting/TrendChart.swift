internal import HistoryTypes
package import Measuring

/// A chart of one benchmark row's values over several runs; vertical lines mark changes of level.
struct TrendChart {
  let series: TrendSeries
  let steps: [TrendReport.TrendStep]

  var chart: Chart {
    Chart(
      id: "trend-" + PageSection.anchor(from: series.row.name),
      summary: summary,
      spec: spec,
      note: "Dots are the medians of runs, oldest left; bars are their 95 % intervals"
        + (steps.isEmpty ? "." : ", dashed lines mark steps.")
    )
  }

  private var summary: String {
    let text = steps.map { "\($0.change) on \($0.point.time.readable)" }
    return "\(series.row.name) over \(series.points.count.counted("run"))"
      + (text.isEmpty ? ", without a step." : "; steps: \(text.joined(separator: ", ")).")
  }

  private var spec: ChartSpec {
    [
      "width": 340, "height": 190, "padding": 4, "config": ChartStyle.config,
      "title": [
        "text": .text(series.row.title), "subtitle": .text(subtitle), "anchor": "start",
        "fontSize": 12, "subtitleFontSize": 12, "fontWeight": "normal", "limit": 340,
        "color": .text(ChartStyle.ink), "subtitleColor": .text(ChartStyle.ink), "aria": false,
      ],
      "data": ["values": .list(series.points.enumerated().map(value))],
      "encoding": ["x": x],
      "layer": .list([intervals, dots] + (steps.isEmpty ? [] : [rules, labels])),
    ]
  }

  private var subtitle: String {
    "\(series.row.contender), \(NumberText.count(series.row.historySize)), \(series.row.metric)"
  }

  private func value(_ place: Int, _ point: TrendSeries.Point) -> ChartSpec {
    var value: [String: ChartSpec] = [
      "run": .number(Double(place + 1)), "median": .number(point.median),
      "label": .text("\(point.time.readable): \(TrendReport.text(point.median, series))"),
    ]
    if let lower = point.lower, let upper = point.upper {
      value["lower"] = .number(lower)
      value["upper"] = .number(upper)
    }
    return .object(value)
  }

  private var x: ChartSpec {
    [
      "field": "run", "type": "quantitative", "title": "run",
      "scale": ["nice": false, "zero": false, "padding": 10],
      "axis": ["grid": false, "format": "d", "tickMinStep": 1, "tickCount": 6],
    ]
  }

  private func y(_ field: String) -> ChartSpec {
    [
      "field": .text(field), "type": "quantitative", "scale": ["zero": false],
      "axis": [
        "title": .text(
          series.row.unit.isEmpty ? "relative to the contender that counts as 1" : series.row.metric
        ),
        "tickCount": 5, "ticks": false, "labelExpr": .text(tickText),
      ],
    ]
  }

  private var tickText: String {
    series.row.unit == "ns" ? CostChart.nanosecondTicks : "format(datum.value, '~s')"
  }

  private var intervals: ChartSpec {
    [
      "transform": [["filter": "isValid(datum.lower)"]],
      "mark": ["type": "rule", "strokeWidth": 1.5, "opacity": 0.6, "aria": false],
      "encoding": [
        "y": y("lower"), "y2": ["field": "upper"],
        "color": ["value": .text(ContenderPalette.series[0])],
      ],
    ]
  }

  private var dots: ChartSpec {
    [
      "mark": ["type": "point", "filled": true, "size": 40, "opacity": 1],
      "encoding": [
        "y": y("median"), "description": ["field": "label"],
        "color": ["value": .text(ContenderPalette.series[0])],
      ],
    ]
  }

  private var marks: ChartSpec {
    .list(
      steps.map { step in
        [
          "run": .number(Double(step.changePoint.index) + 0.5), "change": .text(step.change),
        ]
      }
    )
  }

  private var rules: ChartSpec {
    [
      "data": ["values": marks],
      "mark": [
        "type": "rule", "strokeDash": [4, 3], "color": .text(ContenderPalette.series[1]),
        "strokeWidth": 1.5, "aria": false,
      ],
    ]
  }

  private var labels: ChartSpec {
    [
      "data": ["values": marks],
      "mark": [
        "type": "text", "align": "right", "baseline": "top", "dx": -4, "fontSize": 12,
        "color": .text(ChartStyle.ink), "aria": false,
      ],
      "encoding": ["y": ["value": 0], "text": ["field": "change"]],
    ]
  }
}

/// The values of one benchmark row over several runs on one machine.
package struct TrendSeries: Sendable, Hashable {
  /// The identity of a benchmark row in different runs.
  package struct Row: Sendable, Hashable {
    package var title: String
    package var contender: String
    /// The size of history, in transactions.
    package var historySize: Int
    /// The metric's name, followed by ` ratio` for a ratio.
    package var metric: String
    package var kind: Metric.Kind
    /// The unit; empty for a ratio.
    package var unit: String
    /// The machine on which the runs were made.
    package var machine: String

    package init(
      title: String,
      contender: String,
      historySize: Int,
      metric: String,
      kind: Metric.Kind,
      unit: String,
      machine: String
    ) {
      self.title = title
      self.contender = contender
      self.historySize = historySize
      self.metric = metric
      self.kind = kind
      self.unit = unit
      self.machine = machine
    }
  }

  /// The values of the benchmark row in one run: the median and its interval.
  package struct Point: Sendable, Hashable {
    /// The start time of the run.
    package var time: UTCTime
    /// The commit that was measured; `nil` if it is unknown.
    package var commit: String?
    package var median: Double
    /// The bounds of the median's interval; `nil` if the run recorded no interval.
    package var lower: Double?
    package var upper: Double?

    package init(
      time: UTCTime,
      commit: String?,
      median: Double,
      lower: Double? = nil,
      upper: Double? = nil
    ) {
      self.time = time
      self.commit = commit
      self.median = median
      self.lower = lower
      self.upper = upper
    }
  }

  /// The identity of the benchmark row.
  package var row: Row
  /// The values in each run, oldest run first.
  package var points: [Point]

  package init(row: Row, points: [Point]) {
    self.row = row
    self.points = points
  }

  /// Returns the level changes in the sequence of medians, oldest first.
  ///
  /// - Complexity: as `ChangePointJudge.steps(in:)`.
  package func steps(by judge: ChangePointJudge = ChangePointJudge()) -> [ChangePoint] {
    judge.steps(in: points.map(\.median))
  }
}

extension TrendSeries.Row {
  /// The benchmark row's name for readers.
  package var name: String {
    "\(title), \(contender), at \(NumberText.count(historySize)): \(metric)"
  }
}
