import HistoryBenchmarks
import Measuring
import PersistentHistory
import Reporting

/// The benchmark results as tables for a terminal.
///
/// The tables show the largest history with the growth from the smallest one, and the goals.
struct BenchText {
  let terminal: Terminal

  /// The number of contenders above which the table shows only this library and the floor.
  private static let contendersMax = 4

  func print(_ outcome: BenchSession.Outcome, _ report: BenchmarkReport, seed: UInt64) {
    let measured = outcome.measured.flatMap(\.rows)
    guard let first = measured.first else { return }
    let sizes = Set(measured.map(\.historySize)).sorted()
    let conditions = first.condition.split(separator: " ").suffix(2).joined(separator: " ")
    terminal.print(
      terminal.styled("What history costs", .bold)
        + " at \((sizes.last ?? 0).counted("transaction")) of ten changes (\(conditions), "
        + "seed 0x\(String(seed, radix: 16)))"
    )
    print(table(outcome))
    terminal.print(
      "ratio: wall time beside raw SQLite in C, in the same rounds; growth: wall time at the "
        + "largest history beside that at the smallest."
    )
    tellNoise(outcome)
    tellLaws(report.results)
    if let sentence = report.goalSentence {
      terminal.print("")
      terminal.print(terminal.styled("Goals", .bold) + ": " + sentence)
      print(BenchmarkReport.table(of: report.reachedFor))
    }
  }

  /// Prints the noise floor, and why the times are inconclusive if they are.
  private func tellNoise(_ outcome: BenchSession.Outcome) {
    guard let noise = NoiseFloor(outcome.noise) else { return }
    terminal.print("Noise floor: \(noise.sentence).")
    if let doubt = noise.doubt {
      terminal.print(terminal.styled("Inconclusive", .bold) + ": \(doubt).")
    }
  }

  /// Prints whether times and counts fit the same complexity laws, and where they do not.
  private func tellLaws(_ results: BenchmarkResults) {
    let findings = ComplexityFindings(results)
    guard !findings.entries.isEmpty else { return }
    let disagreements = findings.disagreements
    terminal.print(
      disagreements.isEmpty
        ? "By time and by counts the costs grow alike." : "Time and counts do not agree:"
    )
    for sentence in disagreements { terminal.print("  \(sentence)") }
  }

  private func print(_ table: ReportTable) {
    terminal.print(table)
    terminal.print("")
  }

  private func table(_ outcome: BenchSession.Outcome) -> ReportTable {
    var table = ReportTable(columns: [
      .text("benchmark"), .text("contender"), .number("median"), .number("ratio"),
      .number("95 % interval"), .number("growth"),
    ])
    for (subject, rows) in outcome.measured {
      let sizes = Set(rows.map(\.historySize)).sorted()
      guard let least = sizes.first, let most = sizes.last else { continue }
      var title = subject.title
      for row in told(rows) where row.historySize == most {
        let small = rows.first {
          $0.historySize == least && $0.contender == row.contender && $0.metric == row.metric
        }
        table.append([title] + cells(row, least < most ? small : nil))
        title = ""
      }
    }
    return table
  }

  /// Returns the rows to show; with many contenders only those of this library and the floor.
  private func told(_ rows: [BenchmarkRow]) -> [BenchmarkRow] {
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
