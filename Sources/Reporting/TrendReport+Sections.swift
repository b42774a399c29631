import Measuring
internal import PersistentHistory

extension TrendReport {
  /// Returns the trend's section of a page: its steps, and charts of the rows that stepped.
  ///
  /// If these are fewer than `count`, charts of watched rows follow.
  package func section(watching titles: [String] = [], charts count: Int = 3) -> PageSection {
    var blocks: [PageBlock] = [.paragraph(sentence + (rowCount == 0 ? "" : Self.method))]
    if !findings.isEmpty { blocks.append(.table(table)) }
    blocks += shown(titles, count).map { .figure(figure($0)) }
    return PageSection("Trend", anchor: Self.anchor, blocks)
  }

  /// A tile for the trend, or `nil` if no row has two runs.
  package var tile: VerdictTile? {
    guard rowCount > 0 else { return nil }
    let dearer = recent().filter(\.isDearer)
    let worst = dearer.max { ($0.step.factor ?? .infinity) < ($1.step.factor ?? .infinity) }
    return VerdictTile(
      subject: "Trend",
      state: dearer.isEmpty ? .good : .bad,
      word: dearer.isEmpty ? "no new step" : "stepped",
      answer: dearer.isEmpty ? rowCount.counted("row") : "\(dearer.count) upwards",
      detail: worst.map { "\($0.course.row.name) \($0.change)." }
        ?? "No row became dearer in the last five of \(runCount.counted("run")).",
      anchor: Self.anchor
    )
  }

  private static var anchor: String { "trend" }

  private static var method: String {
    " A step is a change of level that shuffled runs hardly ever show (a permutation test at 0.3 %); "
      + "one bad night is none. A counter steps with its first other value."
  }

  /// Returns the courses to draw: those with steps, largest change first, then the watched ones.
  private func shown(_ titles: [String], _ count: Int) -> [TrendCourse] {
    var seen: Set<TrendCourse.Row> = []
    let stepped = findings.sorted { size($0) > size($1) }.map(\.course)
    let watched = courses.filter { course in
      course.row.metric == "wall ratio" && titles.contains { course.row.title.hasPrefix($0) }
    }
    .sorted { $0.row.historySize > $1.row.historySize }
    return Array((stepped + watched).filter { seen.insert($0.row).inserted }.prefix(count))
  }

  private func size(_ finding: Finding) -> Double {
    let factor = finding.step.factor ?? .infinity
    return factor > 0 ? max(factor, 1 / factor) : .infinity
  }

  private func figure(_ course: TrendCourse) -> Figure {
    let steps = findings.filter { $0.course.row == course.row }
    let chart = TrendChart(course: course, steps: steps)
    var table = ReportTable(
      caption: course.row.name,
      columns: [.text("run"), .text("commit"), .number("median"), .number("95 % interval")]
    )
    var values = ReportTable(
      columns: ["time", "commit", "median", "lower", "upper"].map {
        .text($0)
      }
    )
    for (place, point) in course.points.enumerated().reversed() {
      let isStep = steps.contains { $0.step.index == place }
      let ends = [point.lower, point.upper].compactMap { $0 }.map { Self.text($0, course) }
      table.append(
        ReportTable.Row(
          [
            point.time.readable, point.commit.map { String($0.prefix(9)) } ?? "",
            Self.text(point.median, course), ends.joined(separator: " \u{2013} "),
          ],
          mark: isStep ? .unknown : nil,
          anchor: PageSection.anchor(from: "trend \(course.row.name) \(point.time)")
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
