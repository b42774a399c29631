import HistoryBenchmarks
import Measuring
import Reporting

/// What the benchmarks found, as a table for a terminal: the largest history, and the growth to it.
struct BenchText {
  let terminal: Terminal

  func print(_ outcome: BenchSession.Outcome, seed: UInt64) {
    let sizes = Set(outcome.rows.map(\.historySize)).sorted()
    guard let least = sizes.first, let most = sizes.last else { return }
    let conditions = (outcome.rows.first?.condition.split(separator: " ") ?? []).suffix(2)
      .joined(separator: " ")
    terminal.print(
      terminal.styled("What history costs", .bold)
        + " at \(most.grouped) transactions of ten changes (\(conditions), "
        + "seed 0x\(String(seed, radix: 16)))"
    )
    for line in table(outcome, from: least, to: most).text().split(separator: "\n") {
      terminal.print("  " + line)
    }
    terminal.print("")
    terminal.print(
      "ratio: wall time beside raw SQLite in C, in the same rounds; growth: wall time at "
        + "\(most.grouped) transactions beside that at \(least.grouped)."
    )
  }

  private func table(
    _ outcome: BenchSession.Outcome,
    from least: Int,
    to most: Int
  ) -> ReportTable {
    var table = ReportTable(columns: [
      .text("benchmark"), .text("contender"), .number("wall"), .number("ratio"),
      .number("95 % interval"), .number("growth"),
    ])
    for (subject, rows) in outcome.measured {
      let results = rows.filter { $0.metric == .wall }
      for row in results where row.historySize == most {
        let small = results.first { $0.historySize == least && $0.contender == row.contender }
        table.append(cells(subject, row, small))
      }
    }
    return table
  }

  private func cells(
    _ subject: BenchmarkSubject,
    _ row: BenchmarkRow,
    _ small: BenchmarkRow?
  ) -> [String] {
    let isFirst = row.contender != row.ratio?.to && row.contender == BenchmarkSubject.ours
    let time = row.summary.map { NumberText.quantity($0.p50, unit: row.metric.unit) }
    let growth = row.summary.flatMap { large in small?.summary.map { large.p50 / $0.p50 } }
    return [
      isFirst ? subject.title : "", row.contender, time ?? "not measured",
      row.ratio.map { NumberText.ratio($0.interval.estimate) } ?? "",
      row.ratio.map { NumberText.range($0.interval.lower, $0.interval.upper) } ?? "",
      growth.map(NumberText.ratio) ?? "",
    ]
  }
}
