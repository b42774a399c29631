package import Commands
import HistoryBenchmarks
import HistoryTypes
package import Measuring
import Reporting

/// The output files of a benchmark run.
package struct BenchOutput {
  let results: BenchmarkResults
  let report: BenchmarkReport
  let folder: RunOutput
  let composition: Composition
  let terminal: Terminal

  package init(
    _ results: BenchmarkResults,
    folder: RunOutput,
    composition: Composition,
    terminal: Terminal
  ) {
    self.composition = composition
    self.results = results
    report = BenchmarkReport(results, goals: Goals.all)
    self.folder = folder
    self.terminal = terminal
  }

  /// Writes the results (JSON, CSV), the complexities (CSV), the goals (CSV, Markdown) and the report
  /// page (HTML).
  ///
  /// - Throws: a lab error that names the file that cannot be written.
  package func write() throws(LabError) {
    do { try folder.write("results.json", try ResultsFile.json(results)) } catch {
      throw error as? LabError ?? .lab("the results cannot be written as JSON: \(error).")
    }
    try folder.write("results.csv", results.csv(run: folder.name))
    try folder.write("complexity.csv", ComplexityVerdicts(results).csv(run: folder.name))
    try folder.write("goals.csv", report.goalCSV(run: folder.name))
    try folder.write("goals.md", report.markdown(command: command))
    try folder.write(RunOutput.pageFile, page())
  }

  /// The command line of the run, with the command's plain name instead of its path.
  private var command: String { (["history-lab"] + folder.words).joined(separator: " ") }

  /// Returns the HTML of the report page, with charts if they can be drawn.
  private func page() -> String {
    let page = report.page()
    let images = composition.chartTool.draw(page.charts)
    if case .missing(let reason) = images {
      terminal.log("The page has tables but no charts: \(reason). Get them with: \(remedy)")
    }
    return page.html(images: images)
  }

  private var remedy: String { ChartImages.remedy }
}

/// The benchmark results as tables for a terminal.
///
/// The tables show the costs at the largest history, their growth from the smallest one, and the
/// goals.
struct BenchText {
  let terminal: Terminal

  /// The number of a benchmark's contenders (compared implementations) up to which all are shown.
  ///
  /// With more contenders, the table shows only this library and the floor: the contender to which
  /// the ratios refer, usually raw SQLite in C. For a benchmark without ratios, it shows all
  /// contenders.
  private static let contendersMax = 4

  func print(_ outcome: BenchSession.Outcome, _ report: BenchmarkReport, seed: UInt64) {
    let measured = outcome.measured.flatMap(\.rows)
    guard let first = measured.first else { return }
    let sizes = Set(measured.filter { $0.sizeUnit == nil }.map(\.historySize)).sorted()
    let conditions = first.condition.split(separator: " ").suffix(2).joined(separator: " ")
    let largest = sizes.last.map { " at \($0.counted("transaction")) of ten changes" } ?? ""
    terminal.print(
      terminal.styled("What history costs", .bold)
        + "\(largest) (\(conditions), seed 0x\(String(seed, radix: 16)))"
    )
    let verdicts = ComplexityVerdicts(report.results)
    print(table(outcome, verdicts))
    terminal.print(
      "ratio: wall time relative to raw SQLite in C, in the same rounds; growth: wall time at the "
        + "largest size compared with that at the smallest; law: the complexity of the processor time, "
        + "if it was measured at \(ComplexityJudge.leastSizes) or more sizes and is conclusive."
    )
    printNoise(outcome)
    printLaws(verdicts)
    if let sentence = report.goalSentence {
      terminal.print("")
      terminal.print(terminal.styled("Goals", .bold) + ": " + sentence)
      print(BenchmarkReport.table(of: report.reachedFor))
    }
  }

  /// Prints the precision of the times, and the reason if they are inconclusive.
  private func printNoise(_ outcome: BenchSession.Outcome) {
    guard let noise = NoiseFloor(outcome.noise) else { return }
    terminal.print("Noise floor: \(noise.sentence).")
    if let uncertainty = noise.uncertainty {
      terminal.print(terminal.styled("Inconclusive", .bold) + ": \(uncertainty).")
    }
  }

  /// Prints whether times and counts show the same growth with history, and where they differ.
  private func printLaws(_ verdicts: ComplexityVerdicts) {
    guard !verdicts.entries.isEmpty else { return }
    let disagreements = verdicts.disagreements
    terminal.print(
      disagreements.isEmpty
        ? "Times and counts show the same growth of costs." : "Time and counts do not agree:"
    )
    for sentence in disagreements { terminal.print("  \(sentence)") }
  }

  private func print(_ table: ReportTable) {
    terminal.print(table)
    terminal.print("")
  }

  private func table(
    _ outcome: BenchSession.Outcome,
    _ verdicts: ComplexityVerdicts
  ) -> ReportTable {
    var table = ReportTable(columns: [
      .text("benchmark"), .text("contender"), .number("median"), .number("ratio"),
      .number("95 % interval"), .number("growth"), .text("law"),
    ])
    let laws = Dictionary(
      verdicts.entries.map { ([$0.title, $0.contender], $0.time.complexity) },
      uniquingKeysWith: { first, _ in first }
    )
    for (subject, rows) in outcome.measured {
      let sizes = Set(rows.map(\.historySize)).sorted()
      guard let least = sizes.first, let most = sizes.last else { continue }
      var title = subject.title
      for row in summarized(rows) where row.historySize == most {
        let small = rows.first {
          $0.historySize == least && $0.contender == row.contender && $0.metric == row.metric
        }
        let law = row.metric == .wall ? laws[[row.title, row.contender]] : nil
        table.append(
          [title] + cells(row, least < most ? small : nil)
            + [law.flatMap { $0 == .inconclusive ? nil : $0.rawValue } ?? ""]
        )
        title = ""
      }
    }
    return table
  }

  /// Returns the rows of the contenders to show (see ``contendersMax``).
  ///
  /// Rows with CPU times and rows from the untimed counting pass are left out.
  private func summarized(_ rows: [BenchmarkRow]) -> [BenchmarkRow] {
    let rows = rows.filter { $0.metric.kind != .cpu && !$0.isCountedBeside }
    guard Set(rows.map(\.contender)).count > Self.contendersMax,
      let floor = rows.compactMap(\.ratio?.to).first
    else { return rows }
    return rows.filter { [BenchmarkSubject.ours, floor].contains($0.contender) }
  }

  private func cells(_ row: BenchmarkRow, _ small: BenchmarkRow?) -> [String] {
    let median = row.summary.map { NumberText.quantity($0.p50, unit: row.metric.unit) }
    let growth = row.summary.flatMap { large in small?.summary.map { large.p50 / $0.p50 } }
    return [
      BenchmarkReport.contender(of: row), median ?? "not measured",
      row.ratio.map { NumberText.ratio($0.interval.estimate) } ?? "",
      row.ratio.map { NumberText.range($0.interval.lower, $0.interval.upper) } ?? "",
      growth.map(NumberText.ratio) ?? "",
    ]
  }
}

/// Prints how exact counts differ from reference counts, such as those of a baseline.
struct CountText {
  let terminal: Terminal

  /// The maximum number of differences printed of each kind; the rest is only counted.
  private static let shown = 20

  /// Prints the differences and the verdict, and returns the exit code.
  func print(_ counts: ExactComparison) -> ExitCode {
    list("Regression", counts.dearer)
    list("Improvement", counts.cheaper)
    guard counts.compared > 0 else {
      terminal.print("The run and the baseline have no count in common.")
      return Self.code(of: counts)
    }
    let verdict =
      counts.dearer.isEmpty
      ? "none has risen" : counts.dearer.count.counted("has risen", "have risen")
    terminal.print(
      "\(counts.compared.counted("count")) compared: \(verdict), "
        + "\(counts.cheaper.count.counted("has", "have")) fallen."
    )
    if !counts.missing.isEmpty {
      terminal.print(
        counts.missing.count.counted("count of the baseline is", "counts of the baseline are")
          + " missing."
      )
    }
    return Self.code(of: counts)
  }

  /// Returns the exit code: `violation` if a count has risen, `undecided` if none was compared.
  static func code(of counts: ExactComparison) -> ExitCode {
    counts.compared == 0 ? .undecided : counts.dearer.isEmpty ? .good : .violation
  }

  private func list(_ kind: String, _ changes: [ExactComparison.CountChange]) {
    for change in changes.prefix(Self.shown) {
      terminal.print(terminal.styled(kind, .bold) + ": \(change.sentence)")
    }
    let more = changes.count - Self.shown
    if more > 0 { terminal.print("\(kind)s: \(more) more") }
  }
}
