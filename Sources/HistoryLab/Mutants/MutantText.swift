import Reporting
import Systems

/// Prints a mutant report on a terminal.
struct MutantText {
  let terminal: Terminal

  func print(_ report: MutantReport) {
    terminal.print(table(report), indent: 0) { styled($0, report) }
    terminal.print("")
    for outcome in report.outcomes where outcome.mutant.equivalence != nil {
      terminal.print("\(outcome.mutant.name): \(outcome.mutant.equivalence ?? "")")
    }
    for outcome in report.failures { explain(outcome) }
    terminal.print(
      "At most \(text(report.caseMedianMax)) plans in the median of a mutant's seeds; "
        + "\(Int(report.leastShare * 100)) % came to the least length that is known, "
        + "\(Int(report.firstLeastShare * 100)) % with the first plan; "
        + "\(Int(report.seconds.rounded())) s, seed 0x\(String(report.seed, radix: 16))"
    )
    let style: Style = report.verdict == "valid" ? .green : .red
    terminal.print(terminal.styled(report.because.capitalizedFirst, style))
  }

  /// Returns a table with one row per mutant.
  private func table(_ report: MutantReport) -> ReportTable {
    var table = ReportTable(columns: [
      .text("mutant"), .text("outcome"), .number("killed"), .text("by"), .number("cases"),
      .number("seconds"), .number("first"), .number("shortest"), .number("least"),
      .number("at least"),
    ])
    for outcome in report.outcomes { table.append(cells(outcome)) }
    return table
  }

  private func cells(_ outcome: MutantOutcome) -> [String] {
    let kills = outcome.killCount
    let checkers = outcome.checkers.map { "\($0.name) \($0.count)" }.joined(separator: ", ")
    return [
      outcome.mutant.name, outcome.word,
      outcome.isTried ? "\(kills)/\(outcome.trials.count)" : "", checkers,
      outcome.isTried ? text(outcome.caseMedian) : "",
      outcome.isTried ? text(outcome.secondsMedian, digits: 1000) : "",
      kills > 0 ? text(outcome.firstMedian) : "",
      kills > 0 ? text(outcome.shortestMedian) : "",
      outcome.mutant.least > 0 ? String(outcome.mutant.least) : "",
      kills > 0 ? "\(outcome.leastCount)/\(kills)" : "",
    ]
  }

  private func text(_ value: Double, digits: Double = 10) -> String {
    let rounded = (value * digits).rounded() / digits
    return rounded == rounded.rounded() ? Int(rounded).grouped : String(rounded)
  }

  private func styled(_ line: String, _ report: MutantReport) -> String {
    let name = line.prefix { $0 != " " }
    return report.failures.contains { $0.mutant.name == name }
      ? terminal.styled(line, .red) : line
  }

  private func explain(_ outcome: MutantOutcome) {
    let mutant = outcome.mutant
    let conditions =
      mutant.conditions.isEmpty ? "" : " --conditions " + mutant.conditions.joined(separator: ",")
    terminal.print(
      "\(mutant.name) \(outcome.word == "survived" ? "survived" : "was killed, but is listed as equivalent")"
        + ": \(mutant.sentence) Look at its plans with: "
        + terminal.command.line("check --system mutant/\(mutant.name)\(conditions)")
    )
  }
}
