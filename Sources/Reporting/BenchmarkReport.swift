package import Measuring

/// Tells what a run of the benchmarks found: as a page, as tables for a terminal and for Markdown.
package struct BenchmarkReport: Sendable {
  /// What is told.
  package let results: BenchmarkResults
  /// Verdicts that were reached elsewhere; they stand first on the page.
  package var verdicts: [VerdictTile]
  /// The way from the page's folder to that of the run; empty where the page lies in it.
  package var runFolder = ""
  /// What came of the goals.
  package let outcomes: [GoalOutcome]

  /// The rows by benchmark.
  let index: ResultsIndex
  /// The contenders that others are compared with.
  package let floors: Set<String>
  /// The colours and shapes of all contenders.
  let palette: ContenderPalette

  private let complexities: [String: ComplexityVerdict]

  /// Makes a report of results and of what they were to be.
  ///
  /// - Complexity: 200 resamples of every curve.
  package init(
    _ results: BenchmarkResults,
    verdicts: [VerdictTile] = [],
    goals: [BenchmarkGoal] = []
  ) {
    self.results = results
    self.verdicts = verdicts
    outcomes = GoalJudge(results).outcomes(of: goals)
    let index = ResultsIndex(results)
    self.index = index
    let floors = Set(results.rows.compactMap { $0.ratio?.to })
    self.floors = floors
    let contenders = results.rows.map(\.contender).uniqued
    // A floor that is compared with another one itself, as ours is, keeps its colour.
    let compared = Set(results.rows.lazy.filter { $0.ratio != nil }.map(\.contender))
    palette = ContenderPalette(contenders: contenders, floors: floors.subtracting(compared))
    let judge = ComplexityJudge(seed: results.environment.seed)
    var complexities: [String: ComplexityVerdict] = [:]
    for title in index.titles {
      for (contender, rows) in index.byContender(title) {
        complexities[Self.key(title, contender)] = CostCurve(rows, metric: .wall).map(judge.judge)
      }
    }
    self.complexities = complexities
  }

  /// One table with the medians and ratios of all timed rows.
  package var overview: ReportTable {
    var table = ReportTable(
      caption: "Time of one operation, and its cost beside the floor of the same rounds",
      columns: [
        .text("benchmark"), .number("history"), .text("contender"), .number("wall"),
        .number("processor"), .number("ratio"), .number("95 % interval"),
      ]
    )
    for row in results.rows where row.metric == .wall {
      table.append([
        row.title, NumberText.count(row.historySize), row.contender, Self.median(row),
        processorTime(beside: row), Self.ratio(row), Self.ratioRange(row),
      ])
    }
    return table
  }

  /// The rows of one benchmark on one metric, smallest history first.
  func rows(title: String, metric: Metric) -> [BenchmarkRow] {
    index.rows(titled: title).filter { $0.metric == metric }
      .sorted { $0.historySize < $1.historySize }
  }

  /// The names of the contenders in one benchmark, in the order of measuring.
  func contenders(title: String, metric: Metric) -> [String] {
    index.rows(titled: title).filter { $0.metric == metric }.map(\.contender).uniqued
  }

  /// Whether a benchmark was measured at as many sizes of history as any, so that its cost has a
  /// course over them.
  func hasCourse(_ title: String) -> Bool { index.titlesWithCourse.contains(title) }

  /// How the wall time of one contender follows the size of history; nil if it was not measured.
  func complexity(title: String, contender: String) -> ComplexityVerdict? {
    complexities[Self.key(title, contender)]
  }

  /// The name by which a link leads to a row of a table.
  static func anchor(_ table: String, _ names: [String]) -> String {
    PageSection.anchor(from: ([table] + names).joined(separator: " "))
  }

  private static func key(_ title: String, _ contender: String) -> String {
    title + "\u{0}" + contender
  }

  private func processorTime(beside row: BenchmarkRow) -> String {
    let other = index.rows(titled: row.title).first {
      $0.contender == row.contender && $0.historySize == row.historySize && $0.metric == .cpu
    }
    return other.map(Self.median) ?? "not measured"
  }

  static func median(_ row: BenchmarkRow) -> String {
    row.summary.map { NumberText.quantity($0.p50, unit: row.metric.unit) } ?? "not measured"
  }

  static func ratio(_ row: BenchmarkRow) -> String {
    row.ratio.map { NumberText.ratio($0.interval.estimate) } ?? ""
  }

  /// How many samples lie far out, of how many; they are never dropped.
  static func outliers(_ row: BenchmarkRow) -> String {
    row.summary.map { "\($0.outliers.count) of \($0.count)" } ?? ""
  }

  static func ratioRange(_ row: BenchmarkRow) -> String {
    row.ratio.map { NumberText.range($0.interval.lower, $0.interval.upper) } ?? ""
  }
}
