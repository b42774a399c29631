import Basics
import Foundation
package import Measuring

/// A chart of contenders' costs relative to a floor, the contender whose cost counts as 1.
///
/// Contenders are the compared implementations. Each comparison has a dot and an interval. Values to
/// the right of the line at 1 are more expensive.
package struct RatioChart: Sendable, Hashable {
  /// The cost of one contender (compared implementation), divided by the cost of the floor.
  package struct Entry: Sendable, Hashable {
    /// The operation that is compared, with its conditions.
    package var title: String
    /// The contender whose cost is shown.
    package var contender: String
    package var ratio: Interval

    package init(title: String, contender: String, ratio: Interval) {
      self.title = title
      self.contender = contender
      self.ratio = ratio
    }
  }

  package var id: String
  /// The floor: the contender by whose cost the other costs are divided.
  package var floor: String
  /// The comparisons, in the order in which they are drawn.
  package var entries: [Entry]
  package var palette: ContenderPalette

  /// Creates a chart of costs relative to the contender `floor`.
  package init(id: String, floor: String, entries: [Entry], palette: ContenderPalette) {
    self.id = id
    self.floor = floor
    self.entries = entries
    self.palette = palette
  }

  /// The chart with its specification and texts.
  package var chart: Chart {
    Chart(id: id, summary: summary, spec: spec, legend: palette.legend(for: contenders))
  }

  private var summary: String {
    let text = entries.prefix(8).map(label).joined(separator: "; ")
    return "Cost relative to \(floor), which is 1. \(text)"
      + (entries.count > 8 ? "; and \(entries.count - 8) more, in the table." : ".")
  }

  private func label(_ entry: Entry) -> String {
    "\(entry.title), \(entry.contender): \(NumberText.ratio(entry.ratio.estimate)) "
      + "(\(NumberText.range(entry.ratio.lower, entry.ratio.upper)))"
  }

  private var contenders: [String] { entries.map(\.contender).uniqued }

  private var spec: ChartSpec {
    let offset: ChartSpec = ["field": "contender", "sort": nil]
    return [
      "width": 240, "height": ["step": .number(Double(rowHeight))], "padding": 4,
      "config": ChartStyle.config,
      "data": ["values": .list(entries.map(value))],
      "encoding": [
        "y": ChartStyle.titles,
        "yOffset": contenders.count > 1 ? offset : nil,
      ],
      "layer": [
        equal, whiskers, dots, figures(at: "upper", isRight: true),
        figures(at: "lower", isRight: false),
      ],
    ]
  }

  /// The height in pixels of a contender's row, enough for a title of several lines.
  private var rowHeight: Int {
    let lines = ChartStyle.lineCount(of: entries.map(\.title))
    let count = max(1, contenders.count)
    return max(count > 1 ? 18 : 30, (14 * lines + 8) / count)
  }

  private func value(_ entry: Entry) -> ChartSpec {
    [
      "title": .text(ChartStyle.wrapped(entry.title)), "contender": .text(entry.contender),
      "ratio": .number(entry.ratio.estimate), "lower": .number(entry.ratio.lower),
      "upper": .number(entry.ratio.upper), "label": .text(label(entry)),
      "text": .text(NumberText.ratio(entry.ratio.estimate)),
    ]
  }

  private var x: ChartSpec {
    [
      "type": "quantitative",
      "title": .text("cost relative to \(floor) (1 = equal, right = dearer)"),
      "scale": [
        "type": "log", "nice": false,
        "domain": [.number(domain.lowerBound), .number(domain.upperBound)],
      ],
      "axis": ["values": .list(ticks), "format": "~g"],
    ]
  }

  /// The range of the axis: all intervals and 1, with margins for the figures next to the intervals.
  ///
  /// The right margin is smaller, because figures may extend beyond the axis on that side.
  private var domain: ClosedRange<Double> {
    let least = min(1, entries.map(\.ratio.lower).min() ?? 1)
    let most = max(1, entries.map(\.ratio.upper).max() ?? 1)
    let span = max(1.2, most / least)
    let left = least < 1 ? pow(span, 0.36) : pow(span, 0.08)
    return least / left...most * pow(span, 0.08)
  }

  /// The ratios that label the axis: round numbers, so few that the labels do not overlap.
  private var ticks: [ChartSpec] {
    let steps: [Double] =
      switch domain.upperBound / domain.lowerBound {
      case ..<1.6: [0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4]
      case ..<5: [0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4]
      case ..<100: [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]
      default: (-6...6).map { ChartStyle.power($0) }
      }
    return steps.filter(domain.contains).map(ChartSpec.number)
  }

  private var equal: ChartSpec {
    [
      "data": ["values": [["one": 1]]],
      "mark": [
        "type": "rule", "strokeDash": [3, 3], "color": .text(ChartStyle.ink), "opacity": 0.6,
        "aria": false,
      ],
      "encoding": ["x": x.with(["field": "one"]), "y": nil, "yOffset": nil],
    ]
  }

  private var whiskers: ChartSpec {
    [
      "mark": ["type": "rule", "strokeWidth": 2, "aria": false],
      "encoding": [
        "x": x.with(["field": "lower"]), "x2": ["field": "upper"],
        "color": palette.color(for: contenders),
      ],
    ]
  }

  private var dots: ChartSpec {
    [
      "mark": ["type": "point", "filled": true, "size": 70, "opacity": 1],
      "encoding": [
        "x": x.with(["field": "ratio"]), "description": ["field": "label"],
        "color": palette.color(for: contenders), "shape": palette.shape(for: contenders),
      ],
    ]
  }

  /// Returns the ratios as numbers next to the intervals, on the side away from the line at 1.
  private func figures(at end: String, isRight: Bool) -> ChartSpec {
    [
      "transform": [["filter": .text(isRight ? "datum.ratio >= 1" : "datum.ratio < 1")]],
      "mark": [
        "type": "text", "align": .text(isRight ? "left" : "right"), "dx": isRight ? 8 : -8,
        "fontSize": 12, "color": .text(ChartStyle.ink), "aria": false,
      ],
      "encoding": ["x": x.with(["field": .text(end)]), "text": ["field": "text"]],
    ]
  }
}

/// The page's section about benchmarks that were measured at fewer history sizes than others.
extension BenchmarkReport {
  /// The minimum number of ratios to the same floor for which a chart is drawn.
  ///
  /// A floor is the contender (compared implementation) by whose cost others are divided. If the
  /// section has only one floor, its chart is drawn for any number of ratios.
  private static let leastCompared = 3

  /// Returns the section of benchmarks without a curve over history sizes; `nil` if there are none.
  ///
  /// Benchmarks whose ratios are relative to the same contender share a chart. The chart shows each
  /// benchmark at its largest size. The benchmarks that are in no chart share one table. They include
  /// those measured outside the base condition, for example with a cold cache (``BenchmarkRow/axis``).
  func fewSizesSection() -> PageSection? {
    let titles = index.titles.filter { !hasSeries($0) }
    let groups = groupsByFloor(titles)
    let grouped = Set(groups.flatMap(\.titles))
    let rest = timed(titles.filter { !grouped.contains($0) })
    guard !groups.isEmpty || !rest.isEmpty else { return nil }
    var blocks: [PageBlock] = [
      .paragraph(
        "Operations that should not depend on the size of history are measured at few sizes, or only "
          + "at the largest. Other ways to keep history are measured on the same rows in the same "
          + "rounds. The tables show every size; the charts show the largest size."
      )
    ]
    for (place, group) in groups.enumerated() {
      let id = place == 0 ? "peers" : "peers " + group.floor
      blocks.append(.figure(figure(PageSection.anchor(from: id), group.floor, group.titles)))
    }
    if !rest.isEmpty { blocks.append(.table(table(of: rest))) }
    return PageSection("Measured at few sizes", anchor: "one-size", blocks)
  }

  /// Returns the titles of the benchmarks that are drawn in charts, in one group for each floor.
  ///
  /// A floor is the contender whose cost counts as 1 in the ratios of a group. Only benchmarks with
  /// a ratio are drawn, and only if they were measured in the base condition (``BenchmarkRow/axis``
  /// is `nil`). A floor with fewer than ``leastCompared`` ratios has no chart, unless it is the
  /// only one.
  private func groupsByFloor(_ titles: [String]) -> [(floor: String, titles: [String])] {
    var floors: [String] = []
    var groups: [String: [String]] = [:]
    for title in titles {
      let rows = index.rows(titled: title)
      guard let floor = rows.lazy.compactMap(\.ratio?.to).first, rows.first?.axis == nil else {
        continue
      }
      if groups[floor] == nil { floors.append(floor) }
      groups[floor, default: []].append(title)
    }
    let known = floors.map { ($0, groups[$0] ?? []) }
    return known.filter { floor, titles in
      known.count == 1 || compared(titles, with: floor).count >= Self.leastCompared
    }
  }

  private func figure(_ id: String, _ floor: String, _ titles: [String]) -> Figure {
    let rows = timed(titles)
    let chart = ratioChart(id, floor, compared(titles, with: floor))
    return Figure(chart: chart.chart, table: table(of: rows), values: values(of: rows))
  }

  /// Returns the rows compared with the contender `floor`, at the largest size of each benchmark.
  private func compared(_ titles: [String], with floor: String) -> [BenchmarkRow] {
    titles.flatMap { title in
      let rows = timed([title])
      let largest = rows.map(\.historySize).max()
      return rows.filter { $0.historySize == largest && $0.ratio?.to == floor }
    }
  }

  private func timed(_ titles: [String]) -> [BenchmarkRow] {
    titles.flatMap { rows(title: $0, metric: .wall) }.filter { $0.summary != nil }
  }

  private func table(of rows: [BenchmarkRow]) -> ReportTable {
    var table = ReportTable(
      caption: "Wall time of one operation",
      columns: [
        .text("benchmark"), .text("contender"), .number("history"), .number("median"),
        .number("95 to 99 %"), .number("most"), .number("ratio"), .number("outliers"),
      ]
    )
    for row in rows {
      let name = [row.contender, String(row.historySize)]
      table.append(
        ReportTable.Row(cells(of: row), anchor: Self.anchor(shortened(row.title), name))
      )
    }
    return table
  }

  private func values(of rows: [BenchmarkRow]) -> ReportTable {
    var values = ReportTable(columns: ["bench", "peer", "size", "p50", "ratio"].map { .text($0) })
    for row in rows {
      let numbers = [row.summary?.p50, row.ratio?.interval.estimate]
      values.append(
        [row.title, row.contender, String(row.historySize)]
          + numbers.map { $0.map(NumberText.rounded) ?? "" }
      )
    }
    return values
  }

  private func cells(of row: BenchmarkRow) -> [String] {
    let unit = row.metric.unit
    let tail = row.summary.map { [$0.p95, $0.p99] } ?? []
    return [
      shortened(row.title), row.contender, NumberText.count(row.historySize), Self.median(row),
      tail.map { NumberText.quantity($0, unit: unit) }.joined(separator: " \u{2013} "),
      row.summary.map { NumberText.quantity($0.max, unit: unit) } ?? "", Self.ratio(row),
      Self.outliers(row),
    ]
  }
}
