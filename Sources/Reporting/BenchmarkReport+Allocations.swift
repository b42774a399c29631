import Measuring

/// Memory use of operations.
extension BenchmarkReport {
  /// The memory metrics, in the order of the columns.
  private static let memory: [Metric] = Metric.allocator + [.residentGrowth]

  /// Returns the allocations of the charted benchmarks at the longest history.
  ///
  /// It returns `nil` if no allocations were counted, and states the reason for missing counts if
  /// it is known.
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
          "How often one operation asks for memory at its longest history, counted on all threads in "
            + "a run that is not timed; what stays live after it, and by how much resident memory grew, "
            + "stand beside. The exact counters have the other benchmarks."
            + (reason.map { " Not measured: \($0)." } ?? "")
        ), block,
      ]
    )
  }

  /// Returns a benchmark's memory rows at its largest history.
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
