import Measuring

extension BenchmarkReport {
  /// Returns the section of one benchmark: its curves, its numbers and its growth.
  func benchmarkSection(_ title: String) -> PageSection? {
    let rows = rows(title: title, metric: .wall)
    guard !rows.isEmpty else { return nil }
    let anchor = PageSection.anchor(from: title)
    let names = contenders(title: title, metric: .wall)
    let verdicts = names.map { complexity(title: title, contender: $0) }
    let series = zip(names, verdicts).map { name, verdict in
      CostChart.Series(
        contender: name,
        points: rows.filter { $0.contender == name }.compactMap { row in
          row.summary.map { CostChart.Point(size: row.historySize, summary: $0) }
        },
        fit: verdict?.complexity == .inconclusive ? nil : verdict?.fit
      )
    }
    var chart = CostChart(
      id: "cost-" + anchor,
      title: title,
      unit: "ns",
      series: series,
      palette: palette
    )
    if let unit = rows.first?.sizeUnit { (chart.sizeTitle, chart.sizeName) = (unit, unit) }
    return PageSection(
      Self.heading(shortened(title)),
      anchor: anchor,
      [
        .paragraph(growthSentence(rows, names, verdicts) + lawSentence(names, verdicts)),
        .figure(
          Figure(
            chart: chart.chart,
            table: table(of: rows, anchor: anchor),
            values: values(of: rows)
          )
        ),
      ]
    )
  }

  /// Returns a benchmark's title with its first letter in upper case.
  static func heading(_ title: String) -> String {
    title.prefix(1).uppercased() + title.dropFirst()
  }

  private func growthSentence(
    _ rows: [BenchmarkRow],
    _ names: [String],
    _ verdicts: [ComplexityVerdict?]
  ) -> String {
    let factors = zip(names, verdicts).compactMap { name, verdict in
      verdict?.growth.map {
        "\(name) \(NumberText.ratio($0.estimate)) (\(NumberText.range($0.lower, $0.upper)))"
      }
    }
    guard let least = rows.first?.historySize, let most = rows.last, !factors.isEmpty else {
      return ""
    }
    return "Cost at \(NumberText.count(most.historySize)) \(most.sizeName) compared with that at "
      + "\(NumberText.count(least)): \(factors.joined(separator: ", ")). "
  }

  /// Returns each contender's complexity, or the distinct reasons why it is unknown.
  private func lawSentence(_ names: [String], _ verdicts: [ComplexityVerdict?]) -> String {
    let laws = zip(names, verdicts).compactMap { name, verdict -> String? in
      guard let verdict, verdict.complexity != .inconclusive else { return nil }
      let share = Int((verdict.confidence * 100).rounded())
      return "\(name) is \(verdict.complexity.rawValue) (\(share) % of the resamples agree)"
    }
    var reasons: [String] = []
    for reason in verdicts.compactMap({ $0?.because }) where !reasons.contains(reason) {
      reasons.append(reason)
    }
    let named = laws.isEmpty ? "" : "By the best fit " + laws.joined(separator: ", ") + ". "
    return named + (reasons.isEmpty ? "" : "Undecided: " + reasons.joined(separator: "; ") + ".")
  }

  private func table(of rows: [BenchmarkRow], anchor: String) -> ReportTable {
    var table = ReportTable(
      caption: "Wall time of one operation",
      columns: [
        .number(rows.first?.sizeUnit ?? "history"), .text("contender"), .number("median"),
        .number("5 to 95 %"),
        .number("ratio"), .number("outliers"),
      ]
    )
    for row in rows {
      let name = PageSection.anchor(from: "\(anchor) \(row.contender) \(row.historySize)")
      table.append(ReportTable.Row(cells(of: row), anchor: name))
    }
    return table
  }

  private func cells(of row: BenchmarkRow) -> [String] {
    let size = NumberText.count(row.historySize)
    guard let summary = row.summary else {
      return [size, row.contender, "not measured", "", "", ""]
    }
    let spread = [summary.p5, summary.p95].map { NumberText.quantity($0, unit: row.metric.unit) }
    return [
      size, row.contender, Self.median(row), spread.joined(separator: " \u{2013} "),
      Self.ratio(row), Self.outliers(row),
    ]
  }

  private func values(of rows: [BenchmarkRow]) -> ReportTable {
    let names = [
      "size", "peer", "p5", "p50", "p95", "ratio", "ratio_lo", "ratio_hi",
    ]
    var values = ReportTable(columns: names.map { .text($0) })
    for row in rows {
      guard let summary = row.summary else { continue }
      let ratio = row.ratio?.interval
      let numbers = [
        summary.p5, summary.p50, summary.p95, ratio?.estimate, ratio?.lower, ratio?.upper,
      ]
      values.append(
        [String(row.historySize), row.contender]
          + numbers.map { $0.map { NumberText.rounded($0) } ?? "" }
      )
    }
    return values
  }

  /// Returns the section of values that could not be measured, with the reasons.
  func missingSection() -> PageSection? {
    let rows = results.rows.filter { $0.notMeasured != nil }
    if rows.isEmpty { return nil }
    var table = ReportTable(
      columns: [.text("benchmark"), .text("contender"), .text("metric"), .prose("why")])
    for row in rows {
      let name = [row.title, row.contender, row.metric.name]
      table.append(
        ReportTable.Row(
          name + [row.notMeasured ?? ""],
          anchor: Self.anchor("missing", name + [String(row.historySize)])
        )
      )
    }
    return PageSection("Not measured", [.table(table)])
  }

  /// Returns the section that explains how the numbers were measured.
  func methodSection() -> PageSection {
    PageSection(
      "How it was measured",
      [
        .paragraph(
          "All contenders of a benchmark run in the same process on the same data, in rounds: a "
            + "random order and then the reverse order, so that disturbances of the machine affect all "
            + "alike. A ratio is the median over the rounds; its interval comes from "
            + "2,000 resamples of whole rounds. Outliers are counted and never dropped."
            + sharedConditions
        ),
        .link(path: inRun("results.json"), text: "Every sample, as JSON"),
        .link(path: inRun("results.csv"), text: "Every row, as CSV"),
      ]
    )
  }

  /// Returns the path from the page to a file of the run.
  private func inRun(_ file: String) -> String {
    runFolder.isEmpty ? file : runFolder + "/" + file
  }
}
