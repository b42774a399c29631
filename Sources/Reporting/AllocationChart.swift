import Measuring

/// Draws the number of allocations per operation: one line per benchmark, one mark per contender.
///
/// The axis is logarithmic above one and begins at zero, since some contenders allocate no memory.
/// Marks are hollow, so that coinciding marks remain visible.
struct AllocationChart {
  /// The allocations of one contender in one benchmark.
  struct Entry {
    let title: String
    let contender: String
    let count: Double
    /// The tooltip of the mark.
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
      note: "One mark a contender; farther right allocates more often."
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

  /// The line from the contender with the fewest allocations to the one with the most.
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
