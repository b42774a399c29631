import Basics
package import Measuring

/// A report on a run of the benchmarks: a page, and tables for a terminal and for Markdown.
///
/// The implementations that a benchmark compares are called contenders.
package struct BenchmarkReport: Sendable {
  package let results: BenchmarkResults
  /// Verdicts that do not come from benchmarks; the page shows them first.
  package var verdicts: [VerdictTile]
  /// The path from the page's folder to the run's folder; empty if both are the same folder.
  package var runFolder = ""
  package let outcomes: [GoalOutcome]

  /// The rows of the results, indexed by benchmark.
  let index: ResultsIndex
  /// The contenders whose cost counts as 1 in the ratios of other contenders.
  package let floors: Set<String>
  /// The colours and shapes of all contenders.
  let palette: ContenderPalette

  private let complexities: [String: ComplexityVerdict]

  /// Creates a report on benchmark results and their goals.
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
    // A contender that is a floor of some rows and has a ratio to another floor keeps its own colour.
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

  /// A table with the medians and ratios of all timed rows.
  package var overview: ReportTable {
    var table = ReportTable(
      caption: "Time of one operation, and its cost relative to the contender that counts as 1",
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

  /// Returns the rows of one benchmark and metric, smallest history first.
  func rows(title: String, metric: Metric) -> [BenchmarkRow] {
    index.rows(titled: title).filter { $0.metric == metric }
      .sorted { $0.historySize < $1.historySize }
  }

  /// Returns the contenders of one benchmark and metric, in the order of measurement.
  func contenders(title: String, metric: Metric) -> [String] {
    index.rows(titled: title).filter { $0.metric == metric }.map(\.contender).uniqued
  }

  /// Returns whether a benchmark has a curve of its cost over the sizes at which it was measured.
  ///
  /// Benchmarks are measured at different numbers of history sizes; only those with the largest
  /// number have a curve. A benchmark whose sizes have a unit other than transactions, such as
  /// members, always has a curve, and does not count for the largest number.
  func hasSeries(_ title: String) -> Bool { index.titlesWithSeries.contains(title) }

  /// Returns the complexity of the wall time of one contender (compared implementation).
  ///
  /// The result is `nil` if wall time was not measured.
  func complexity(title: String, contender: String) -> ComplexityVerdict? {
    complexities[Self.key(title, contender)]
  }

  /// Returns the anchor of a table row, from the table's name and the row's names.
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

  /// Returns the number of outliers among the samples; outliers are never dropped.
  static func outliers(_ row: BenchmarkRow) -> String {
    row.summary.map { "\($0.outliers.count) of \($0.count)" } ?? ""
  }

  static func ratioRange(_ row: BenchmarkRow) -> String {
    row.ratio.map { NumberText.range($0.interval.lower, $0.interval.upper) } ?? ""
  }
}

extension BenchmarkReport {
  /// The maximum number of benchmarks with curves over the size of history on a page.
  ///
  /// More would make the page slow to open.
  static let mostCurves = 9

  /// The benchmarks whose curves are drawn, in order.
  ///
  /// Benchmarks whose sizes have another unit than transactions, such as members, are always drawn.
  /// Of the others, at most ``mostCurves`` are drawn, in this order of preference: first the last
  /// benchmark of each part of the system, which does the most work per operation, then all the
  /// others.
  var charted: [String] {
    let all = index.titles.filter(hasSeries)
    let titles = all.filter { index.rows(titled: $0).first?.sizeUnit == nil }
    let subjects = titles.map { index.rows(titled: $0).first?.subject }
    let last = titles.indices.filter { !subjects[($0 + 1)...].contains(subjects[$0]) }
    let order = last + titles.indices.filter { !last.contains($0) }
    let left = Set(order.dropFirst(Self.mostCurves).map { titles[$0] })
    return all.filter { !left.contains($0) }
  }

  /// Returns a section with the numbers of the benchmarks whose cost curves are not drawn.
  ///
  /// `charted` names the benchmarks whose curves are drawn. The result is `nil` if these are all
  /// benchmarks that have a curve.
  func furtherSection(without charted: [String]) -> PageSection? {
    let titles = index.titles.filter { hasSeries($0) && !charted.contains($0) }
    guard !titles.isEmpty else { return nil }
    var table = ReportTable(
      caption: "Wall time of one operation",
      columns: [
        .text("benchmark"), .text("contender"), .number("history"), .number("median"),
        .number("5 to 95 %"), .number("ratio"), .number("outliers"), .number("growth"),
        .text("law"),
      ]
    )
    for title in titles {
      let anchor = PageSection.anchor(from: title)
      for (place, row) in rows(title: title, metric: .wall).enumerated() {
        let name = PageSection.anchor(from: "\(anchor) \(row.contender) \(row.historySize)")
        table.append(ReportTable.Row(furtherCells(of: row), anchor: place == 0 ? anchor : name))
      }
    }
    return PageSection(
      "Further benchmarks",
      anchor: "further",
      [
        .paragraph(
          "Benchmarks whose curves are not drawn, to keep the page short. Growth is the cost at the "
            + "largest history compared with that at the smallest, by medians."
        ),
        .table(table),
      ]
    )
  }

  private func furtherCells(of row: BenchmarkRow) -> [String] {
    let verdict = complexity(title: row.title, contender: row.contender)
    let isLast =
      rows(title: row.title, metric: .wall).last { $0.contender == row.contender }?
      .historySize == row.historySize
    let law = verdict.map { $0.complexity == .inconclusive ? "undecided" : $0.complexity.rawValue }
    let spread = row.summary.map { [$0.p5, $0.p95] } ?? []
    return [
      shortened(row.title), row.contender, NumberText.count(row.historySize), Self.median(row),
      spread.map { NumberText.quantity($0, unit: row.metric.unit) }
        .joined(separator: " \u{2013} "),
      Self.ratio(row), Self.outliers(row),
      isLast ? verdict?.growth.map { NumberText.ratio($0.estimate) } ?? "" : "",
      isLast ? law ?? "" : "",
    ]
  }
}

extension BenchmarkReport {
  /// Returns a tile with the difference measured between two contenders that do the same work.
  ///
  /// The result is empty if the run did not measure this difference.
  func noiseTile() -> [VerdictTile] {
    guard let noise = NoiseFloor(results.rows) else { return [] }
    return [
      VerdictTile(
        subject: "Noise floor",
        state: noise.uncertainty == nil ? .good : .unknown,
        word: noise.uncertainty == nil ? "quiet" : "too noisy",
        answer: Self.percent(noise.halfWidth),
        detail: (noise.uncertainty ?? noise.sentence).prefix(1).uppercased()
          + (noise.uncertainty ?? noise.sentence).dropFirst() + "."
      )
    ]
  }

  private static func percent(_ share: Double) -> String {
    "\u{B1}\(NumberText.significant(share * 100)) %"
  }
}
