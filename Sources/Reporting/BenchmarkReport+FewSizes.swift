import Measuring

/// Benchmarks that were measured at fewer sizes of history than others.
extension BenchmarkReport {
  /// The minimum number of comparisons for a chart.
  private static let leastCompared = 3

  /// Returns the benchmarks without a curve.
  ///
  /// Those compared with the same floor share a chart of their largest sizes. The others, including
  /// those under other conditions, share one table.
  func fewSizesSection() -> PageSection? {
    let titles = index.titles.filter { !hasCourse($0) }
    let groups = groupsByFloor(titles)
    let grouped = Set(groups.flatMap(\.titles))
    let rest = timed(titles.filter { !grouped.contains($0) })
    guard !groups.isEmpty || !rest.isEmpty else { return nil }
    var blocks: [PageBlock] = [
      .paragraph(
        "What has little reason to depend on the size of history is measured at few sizes of it or at "
          + "the largest alone. Among it are other ways to keep history, on the same rows in the same "
          + "rounds: the tables have every size, the charts the largest of each."
      )
    ]
    for (place, group) in groups.enumerated() {
      let id = place == 0 ? "peers" : "peers " + group.floor
      blocks.append(.figure(figure(PageSection.anchor(from: id), group.floor, group.titles)))
    }
    if !rest.isEmpty { blocks.append(.table(table(of: rest))) }
    return PageSection("Measured at few sizes", anchor: "one-size", blocks)
  }

  /// Returns the titles at the base point that have enough comparisons, by floor.
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

  /// Returns the benchmarks' rows that are compared with a floor, at the largest size of each.
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
