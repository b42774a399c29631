import Basics
import Measuring

/// Draws the number of allocations per operation: a line per benchmark, a symbol per contender.
///
/// A contender is one of the compared implementations. The axis starts at zero, because some
/// contenders allocate no memory, and is logarithmic above one. The symbols are hollow, so that
/// symbols at the same value remain visible.
struct AllocationChart {
  /// The allocations of one contender (compared implementation) in one benchmark.
  struct Entry {
    let title: String
    let contender: String
    let count: Double
    /// The text that the page shows when the pointer is over the entry's symbol in the chart.
    let words: String
  }

  let id: String
  let entries: [Entry]
  let palette: ContenderPalette

  var chart: Chart {
    Chart(
      id: id,
      summary: "Allocations of one operation. " + entries.map(\.words).joined(separator: "; ")
        + ".",
      spec: spec,
      legend: palette.legend(for: contenders),
      note: "One mark per contender; a mark farther right means more allocations."
    )
  }

  private var contenders: [String] { entries.map(\.contender).uniqued }

  private var spec: ChartSpec {
    [
      "width": 240, "height": ["step": .number(Double(rowHeight))], "padding": 4,
      "config": ChartStyle.config,
      "data": ["values": .list(entries.map(value))],
      "encoding": [
        "y": ChartStyle.titles
      ],
      "layer": [spans, marks],
    ]
  }

  /// The height of one benchmark's row in pixels, enough for a title of several lines.
  private var rowHeight: Int {
    let lines = ChartStyle.lineCount(of: entries.map(\.title))
    return max(28, 14 * lines + 8)
  }

  private func value(_ entry: Entry) -> ChartSpec {
    [
      "title": .text(ChartStyle.wrapped(entry.title)), "contender": .text(entry.contender),
      "count": .number(entry.count), "label": .text(entry.words),
    ]
  }

  private var x: ChartSpec {
    let most = entries.map(\.count).max() ?? 1
    let decades = ChartStyle.decades(around: [1, max(1, most)])
    let ticks = [0] + decades.map(ChartStyle.power)
    return [
      "type": "quantitative", "title": "allocations of one operation",
      "scale": [
        "type": "symlog", "constant": 1, "nice": false,
        "domain": [0, .number(ChartStyle.power(decades.upperBound))],
      ],
      "axis": [
        "values": .list(ticks.map(ChartSpec.number)), "labelExpr": "format(datum.value, '~s')",
      ],
    ]
  }

  /// One horizontal line per benchmark, from the lowest to the highest number of allocations of a
  /// contender.
  private var spans: ChartSpec {
    [
      "mark": [
        "type": "rule", "color": .text(ChartStyle.ink), "opacity": 0.25, "aria": false,
      ],
      "encoding": [
        "x": x.with(["field": "count", "aggregate": "min"]),
        "x2": ["field": "count", "aggregate": "max"],
      ],
    ]
  }

  private var marks: ChartSpec {
    [
      "mark": ["type": "point", "filled": false, "strokeWidth": 2, "size": 80, "opacity": 1],
      "encoding": [
        "x": x.with(["field": "count"]), "description": ["field": "label"],
        "color": palette.color(for: contenders), "shape": palette.shape(for: contenders),
      ],
    ]
  }
}

/// The sections about the memory that operations allocate.
extension BenchmarkReport {
  /// The memory metrics, in the order of the columns.
  private static let memory: [Metric] = Metric.allocator + [.residentGrowth]

  /// Returns the section with the allocations of the given benchmarks at their longest history.
  ///
  /// The result is `nil` if no allocations were counted. The section states why counts are missing, if
  /// the reason is known.
  func allocationSection(of charted: [String]) -> PageSection? {
    let rows = charted.flatMap(largestMemory)
    guard rows.contains(where: { $0.metric == .allocations }) else { return nil }
    let reason = rows.lazy.compactMap(\.notMeasured).first
    let table = allocationTable(of: rows)
    let chart = AllocationChart(id: "allocations", entries: entries(of: rows), palette: palette)
    let block: PageBlock =
      chart.entries.isEmpty
      ? .table(table)
      : .figure(Figure(chart: chart.chart, table: table, values: allocationValues(of: rows)))
    return PageSection(
      "Allocations",
      [
        .paragraph(
          "The allocations of one operation, measured with the longest history and counted on all "
            + "threads in a run that is not timed; next to them are the bytes that stay live after "
            + "the operation, and the growth of resident memory. The allocations of the other "
            + "benchmarks are in the section of exact counts."
            + (reason.map { " Not measured: \($0)." } ?? "")
        ), block,
      ]
    )
  }

  /// Returns a benchmark's rows with memory metrics, measured with its longest history.
  private func largestMemory(_ title: String) -> [BenchmarkRow] {
    let rows = index.rows(titled: title).filter { Self.memory.contains($0.metric) }
    let most = rows.map(\.historySize).max()
    return rows.filter { $0.historySize == most }
  }

  private func entries(of rows: [BenchmarkRow]) -> [AllocationChart.Entry] {
    rows.filter { $0.metric == .allocations }.compactMap { row in
      row.summary.map { summary in
        let title = shortened(row.title)
        let count = NumberText.quantity(summary.max, unit: "")
        return AllocationChart.Entry(
          title: title,
          contender: row.contender,
          count: summary.max,
          words: "\(title), \(row.contender): \(count)"
        )
      }
    }
  }

  private func allocationTable(of rows: [BenchmarkRow]) -> ReportTable {
    var table = ReportTable(
      caption: "Memory of one operation",
      columns: [
        .text("benchmark"), .text("contender"), .number("history"), .number("allocations"),
        .number("allocated"), .number("still live"), .number("resident growth"),
      ]
    )
    for (name, counts) in byContender(rows) {
      let cells = Self.memory.map { metric in
        counts[metric]?.summary.map {
          NumberText.quantity($0.max, unit: metric.unit == "B" ? "B" : "")
        } ?? "not measured"
      }
      let size = counts.values.first.map { NumberText.count($0.historySize) } ?? ""
      table.append(
        ReportTable.Row(
          name + [size] + cells,
          anchor: Self.anchor("memory", name)
        )
      )
    }
    return table
  }

  private func allocationValues(of rows: [BenchmarkRow]) -> ReportTable {
    var values = ReportTable(
      columns: (["bench", "peer", "size"] + Self.memory.map(\.name)).map { .text($0) }
    )
    for (name, counts) in byContender(rows) {
      let size = counts.values.first.map { String($0.historySize) } ?? ""
      values.append(
        name + [size]
          + Self.memory.map { counts[$0]?.summary.map { NumberText.rounded($0.max) } ?? "" }
      )
    }
    return values
  }

  /// Returns the rows by benchmark and contender, in the order of measurement.
  private func byContender(
    _ rows: [BenchmarkRow]
  ) -> [(name: [String], counts: [Metric: BenchmarkRow])] {
    var names: [[String]] = []
    var counts: [[String]: [Metric: BenchmarkRow]] = [:]
    for row in rows {
      let name = [shortened(row.title), row.contender]
      if counts[name] == nil { names.append(name) }
      counts[name, default: [:]][row.metric] = row
    }
    return names.map { ($0, counts[$0] ?? [:]) }
  }
}
