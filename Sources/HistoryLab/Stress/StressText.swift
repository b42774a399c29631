import Reporting

/// What came of a stress run, for a terminal.
struct StressText {
  let terminal: Terminal

  func print(_ result: StressResult) {
    let rate = result.seconds > 0 ? Int(Double(result.committed) / result.seconds) : 0
    terminal.print(
      terminal.styled("stress", .bold)
        + ": \(result.participants.count) processes, \(Int(result.committed).grouped) transactions "
        + "in \(Int(result.seconds.rounded())) s (\(rate.grouped)/s), seed \(result.seed)"
    )
    for line in table(result).text().split(separator: "\n") { terminal.print("  " + line) }
    terminal.print(
      "  history held \(result.heldMax.grouped) transactions at most, in "
        + "\(result.sampleCount.grouped) samples, and \(result.heldAtEnd.grouped) at the end"
    )
    let style: Style = result.verdict == "valid" ? .green : .red
    terminal.print(terminal.styled("  " + result.because.capitalizedFirst, style))
  }

  private func table(_ result: StressResult) -> ReportTable {
    var table = ReportTable(columns: [
      .text("process"), .number("written"), .number("passes"), .number("merged"),
      .number("purged"), .number("busy"), .number("other errors"), .number("objects"),
      .text("view"),
    ])
    for participant in result.participants {
      table.append([participant.name] + cells(participant.report, result.data))
    }
    return table
  }

  private func cells(_ report: StressReport?, _ data: StressView?) -> [String] {
    guard let report else { return Array(repeating: "", count: 7) + ["none"] }
    let counts = [
      report.written, report.passes, report.merged, report.purged, report.busyErrors,
      report.otherErrors, report.view?.objectCount ?? 0,
    ]
    return counts.map(\.grouped) + [report.view == data ? "as the store" : "differs"]
  }
}
