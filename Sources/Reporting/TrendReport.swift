internal import HistoryTypes
package import Measuring

/// A report on benchmark results over several runs, and the lasting changes in each row's values.
package struct TrendReport: Sendable {
  /// One lasting change of level in the values of a benchmark row.
  ///
  /// The level is the median of the values between two changes.
  package struct TrendStep: Sendable, Hashable {
    /// The benchmark row, with its values of several runs, in which the change was found.
    package var series: TrendSeries
    /// The position of the change among the runs, and the levels before and after it.
    package var changePoint: ChangePoint

    /// The first run after the change.
    package var point: TrendSeries.Point { series.points[changePoint.index] }
    /// Whether the value increased, which is worse for every metric.
    package var isDearer: Bool { changePoint.after > changePoint.before }
    /// The size of the change, formatted for readers.
    package var change: String {
      guard let factor = changePoint.factor else {
        return "from 0 to \(TrendReport.text(changePoint.after, series))"
      }
      let percent = NumberText.significant(abs(factor - 1) * 100)
      return factor >= 2 ? NumberText.ratio(factor) : (isDearer ? "+" : "\u{2212}") + percent + " %"
    }
  }

  /// The benchmark rows that have values from at least two runs.
  package let allSeries: [TrendSeries]
  /// The lasting changes that were found in the values of all rows, newest first.
  package let steps: [TrendStep]
  /// The number of benchmark rows that were searched for lasting changes.
  package var rowCount: Int { allSeries.count }
  /// The largest number of runs from which any row has values; 0 if there are no rows.
  package var runCount: Int { allSeries.map(\.points.count).max() ?? 0 }

  /// Creates a report, and searches the values of every row for lasting changes.
  ///
  /// - Complexity: as `ChangePointJudge.steps(in:)`, for each row.
  package init(_ allSeries: [TrendSeries], judge: ChangePointJudge = ChangePointJudge()) {
    self.allSeries = allSeries.filter { $0.points.count > 1 }
    steps = self.allSeries.flatMap { series in
      series.steps(by: judge).map { TrendStep(series: series, changePoint: $0) }
    }.sorted {
      ($1.point.time.secondsSince1970, $0.series.row.name)
        < ($0.point.time.secondsSince1970, $1.series.row.name)
    }
  }

  /// Returns the changes in the last `runs` runs of their benchmark rows; the default is five.
  package func recent(within runs: Int = 5) -> [TrendStep] {
    steps.filter { $0.changePoint.index + runs >= $0.series.points.count }
  }

  /// A sentence that states how many lasting changes were found, and in how many rows and runs.
  package var sentence: String {
    guard rowCount > 0 else {
      return "No benchmark row has results of two runs on one machine; a trend needs more runs."
    }
    let runs = "\(rowCount.counted("row")) over \(runCount.counted("run"))"
    guard !steps.isEmpty else { return "No step in \(runs)." }
    let dearer = steps.filter(\.isDearer).count
    let steps = steps.count.counted("step")
    return "\(steps) in \(runs), \(dearer) of them to a higher cost."
  }

  /// A table of the lasting changes in the benchmark rows' values, newest first.
  package var table: ReportTable {
    var table = ReportTable(
      caption: "Steps, newest first",
      columns: [
        .text("since"), .text("commit"), .text("benchmark"), .text("contender"),
        .number("history"), .text("metric"), .number("before"), .number("after"),
        .number("change"), .number("chance"),
      ]
    )
    for step in steps { table.append(row(step)) }
    return table
  }

  private func row(_ step: TrendStep) -> ReportTable.Row {
    let row = step.series.row
    return ReportTable.Row(
      [
        step.point.time.readable, step.point.commit.map { String($0.prefix(9)) } ?? "",
        row.title, row.contender, NumberText.count(row.historySize), row.metric,
        Self.text(step.changePoint.before, step.series),
        Self.text(step.changePoint.after, step.series), step.change,
        step.changePoint.chance == 0 ? "exact" : NumberText.significant(step.changePoint.chance),
      ],
      mark: step.isDearer ? .bad : .good,
      anchor: PageSection.anchor(from: "step \(row.name) \(step.changePoint.index)")
    )
  }

  /// Returns a value of a row with its unit.
  static func text(_ value: Double, _ series: TrendSeries) -> String {
    series.row.unit.isEmpty
      ? NumberText.ratio(value) : NumberText.quantity(value, unit: series.row.unit)
  }
}

extension TrendReport {
  /// Returns the trend's section of a page: a table of the lasting changes in the rows' values, and
  /// charts of the rows that changed.
  ///
  /// If fewer than `count` rows changed, charts of the benchmarks named by `titles` follow.
  package func section(watching titles: [String] = [], charts count: Int = 3) -> PageSection {
    var blocks: [PageBlock] = [.paragraph(sentence + (rowCount == 0 ? "" : Self.method))]
    if !steps.isEmpty { blocks.append(.table(table)) }
    blocks += shown(titles, count).map { .figure(figure($0)) }
    return PageSection("Trend", anchor: Self.anchor, blocks)
  }

  /// A tile for the trend; `nil` if no benchmark row has values from two runs.
  package var tile: VerdictTile? {
    guard rowCount > 0 else { return nil }
    let dearer = recent().filter(\.isDearer)
    let worst = dearer.max {
      ($0.changePoint.factor ?? .infinity) < ($1.changePoint.factor ?? .infinity)
    }
    return VerdictTile(
      subject: "Trend",
      state: dearer.isEmpty ? .good : .bad,
      word: dearer.isEmpty ? "no new step" : "stepped",
      answer: dearer.isEmpty ? rowCount.counted("row") : "\(dearer.count) upwards",
      detail: worst.map { "\($0.series.row.name) \($0.change)." }
        ?? "No measured cost rose in the last five of \(runCount.counted("run")).",
      anchor: Self.anchor
    )
  }

  private static var anchor: String { "trend" }

  private static var method: String {
    " A step is a change of level that shuffled runs hardly ever show (a permutation test at 0.3 %); "
      + "one slow night is not a step. A counter has a step at its first different value."
  }

  /// Returns the rows to draw: those with lasting changes, largest change first, then those named by
  /// `titles`.
  private func shown(_ titles: [String], _ count: Int) -> [TrendSeries] {
    var seen: Set<TrendSeries.Row> = []
    let stepped = steps.sorted { size($0) > size($1) }.map(\.series)
    let watched = allSeries.filter { series in
      series.row.metric == "wall ratio" && titles.contains { series.row.title.hasPrefix($0) }
    }
    .sorted { $0.row.historySize > $1.row.historySize }
    return Array((stepped + watched).filter { seen.insert($0.row).inserted }.prefix(count))
  }

  private func size(_ step: TrendStep) -> Double {
    let factor = step.changePoint.factor ?? .infinity
    return factor > 0 ? max(factor, 1 / factor) : .infinity
  }

  private func figure(_ series: TrendSeries) -> Figure {
    let steps = steps.filter { $0.series.row == series.row }
    let chart = TrendChart(series: series, steps: steps)
    var table = ReportTable(
      caption: series.row.name,
      columns: [.text("run"), .text("commit"), .number("median"), .number("95 % interval")]
    )
    var values = ReportTable(
      columns: ["time", "commit", "median", "lower", "upper"].map {
        .text($0)
      }
    )
    for (place, point) in series.points.enumerated().reversed() {
      let isStep = steps.contains { $0.changePoint.index == place }
      let ends = [point.lower, point.upper].compactMap { $0 }.map { Self.text($0, series) }
      table.append(
        ReportTable.Row(
          [
            point.time.readable, point.commit.map { String($0.prefix(9)) } ?? "",
            Self.text(point.median, series), ends.joined(separator: " \u{2013} "),
          ],
          mark: isStep ? .unknown : nil,
          anchor: PageSection.anchor(from: "trend \(series.row.name) \(point.time)")
        )
      )
      values.append(
        [point.time.description, point.commit ?? ""]
          + [point.median, point.lower, point.upper].map { $0.map(NumberText.rounded) ?? "" }
      )
    }
    return Figure(chart: chart.chart, table: table, values: values)
  }
}
