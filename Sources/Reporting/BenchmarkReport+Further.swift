import Measuring

extension BenchmarkReport {
  /// The maximum number of benchmarks with curves on a page; more make the page slow to open.
  static let mostCurves = 9

  /// The benchmarks whose curves are drawn, in order.
  ///
  /// If there are too many, the last benchmark of each part of the system, which does most work per
  /// operation, takes precedence over the others.
  var charted: [String] {
    let titles = index.titles.filter(hasCourse)
    guard titles.count > Self.mostCurves else { return titles }
    let subjects = titles.map { index.rows(titled: $0).first?.subject }
    let last = titles.indices.filter { !subjects[($0 + 1)...].contains(subjects[$0]) }
    let order = last + titles.indices.filter { !last.contains($0) }
    return order.prefix(Self.mostCurves).sorted().map { titles[$0] }
  }

  /// Returns a table of the benchmarks that have a curve over the sizes of history but no drawing.
  func furtherSection(without charted: [String]) -> PageSection? {
    let titles = index.titles.filter { hasCourse($0) && !charted.contains($0) }
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
            + "largest history beside that at the smallest, by medians."
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
