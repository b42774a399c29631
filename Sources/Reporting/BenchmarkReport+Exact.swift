import Measuring

/// Counted values, as opposed to timed ones.
extension BenchmarkReport {
  /// The counters with a column of their own; `results.csv` contains all counters.
  private static let columns: [Metric] = [
    .vmSteps, .pageReads, .pageWrites, .rowsWritten, .systemCalls, .allocations, .allocatedBytes,
  ]

  /// Returns the counted values, which are the same in every run except for memory.
  func exactSection() -> PageSection? {
    // The fitted laws describe how counts grow; the page shows the counts at the largest history
    // only.
    let rows = index.titles.flatMap { title in
      let counted = index.rows(titled: title).filter {
        $0.metric.kind == .exact && $0.summary != nil
      }
      let largest = counted.map(\.historySize).max()
      return counted.filter { $0.historySize == largest }
    }
    let tables = [countTable(of: rows), otherTable(of: rows)].filter { !$0.rows.isEmpty }
    guard !tables.isEmpty else { return nil }
    let words =
      "Counted, not timed: the same again in the next run, but for memory, which the system "
      + "counts and shares out in its own way. The most of one operation at the longest history; "
      + "results.csv has every counter at every length."
    return PageSection("Exact counters", [.paragraph(words)] + tables.map { .table($0) })
  }

  /// Returns a row for each benchmark and contender, with a column for each counter.
  private func countTable(of rows: [BenchmarkRow]) -> ReportTable {
    var table = ReportTable(
      caption: "Counts of one operation",
      columns: [.text("benchmark"), .text("contender")]
        + Self.columns.map { .number($0.name) }
    )
    var order: [[String]] = []
    var counts: [[String]: [Metric: Double]] = [:]
    for row in rows where Self.columns.contains(row.metric) {
      let name = [shortened(row.title), row.contender]
      if counts[name] == nil { order.append(name) }
      counts[name, default: [:]][row.metric] = row.summary?.max
    }
    for name in order {
      let cells = Self.columns.map { metric in
        counts[name]?[metric].map {
          NumberText.quantity($0, unit: metric.unit == "B" ? "B" : "")
        } ?? ""
      }
      table.append(ReportTable.Row(name + cells, anchor: Self.anchor("counts", name)))
    }
    return table
  }

  /// Returns a row for each counter that only a few benchmarks have.
  private func otherTable(of rows: [BenchmarkRow]) -> ReportTable {
    let inFile: [Metric] = [.bytesRead, .bytesWritten, .liveBytes, .residentGrowth]
    var table = ReportTable(
      caption: "Counts of some benchmarks",
      columns: [
        .text("benchmark"), .text("contender"), .text("counter"), .number("least"), .number("most"),
      ]
    )
    for row in rows where !(Self.columns + inFile).contains(row.metric) {
      guard let summary = row.summary else { continue }
      let name = [shortened(row.title), row.contender, row.metric.name]
      let counts = [summary.min, summary.max].map {
        NumberText.quantity($0, unit: row.metric.unit)
      }
      table.append(ReportTable.Row(name + counts, anchor: Self.anchor("counts", name)))
    }
    return table
  }
}
