import PersistentHistory
import Reporting

/// Prints the result of a stress run on a terminal.
struct StressText {
  let terminal: Terminal

  func print(_ result: StressResult) {
    let rate = result.seconds > 0 ? Int(Double(result.committed) / result.seconds) : 0
    let mutant = result.mutant.map { " of the mutant \($0)" } ?? ""
    terminal.print(
      terminal.styled("stress", .bold)
        + ": \(result.processes.counted("process", "processes"))\(mutant), \(Int(result.committed).counted("transaction")) "
        + "in \(Int(result.seconds.rounded())) s (\(rate.grouped)/s), seed \(result.seed)"
    )
    if !result.participants.isEmpty { terminal.print(table(result)) }
    for line in lines(result) { terminal.print("  " + line) }
    let style: Style = result.verdict == "valid" ? .green : .red
    terminal.print(terminal.styled("  " + result.because.capitalizedFirst, style))
  }

  private func table(_ result: StressResult) -> ReportTable {
    var table = ReportTable(columns: [
      .text("process"), .number("lives"), .number("written"), .number("merged"),
      .number("records"), .number("purged"), .number("errors"),
    ])
    for one in result.participants {
      let errors = one.errors.values.reduce(0, +)
      let counts = [one.lives, one.written, one.merged, one.records, one.purged, errors]
      table.append([one.name] + counts.map(\.grouped))
    }
    return table
  }

  private func lines(_ result: StressResult) -> [String] {
    let counts = result.counts
    var lines: [String] = []
    if counts.kills > 0 {
      let places = StressPlace.allCases.compactMap { place in
        counts.killedAt[place.rawValue].map { "\($0.grouped) \(place.sentence)" }
      }
      let anywhere = "\(counts.killedAnywhere.grouped) anywhere"
      lines.append(
        "killed \(counts.kills.grouped): " + (places + [anywhere]).joined(separator: ", ")
      )
      lines.append(
        "stopped \(counts.stops.grouped), restarted \(counts.restarts.grouped), joined "
          + "\(counts.joins.grouped), retired \(counts.retires.grouped)"
      )
    }
    if let disk = result.disk { lines.append(sentence(of: disk, result.filledCount)) }
    if counts.wakeUps > 0 {
      lines.append(
        "after each of \(counts.wakeUps.grouped) single commits everybody passed, at most "
          + "\(counts.wakeUpMsMax.grouped) ms later"
      )
    }
    let atEnd = result.isInterrupted ? "" : " and \(result.heldAtEnd.grouped) at the end"
    lines.append(
      "history held \(result.heldMax.counted("transaction")) at most\(atEnd); the slowest was "
        + "\(result.lagMax.grouped) behind"
    )
    guard !result.isInterrupted else { return lines }
    lines.append(
      "checked \(result.eventCount.counted("event")); writes cut off by a death: "
        + "\(result.settledCount.grouped) settled, \(result.openCount.grouped) not"
    )
    let held = result.checkers.filter { $0.verdict == "valid" }.map(\.checker)
    if !held.isEmpty { lines.append("held: " + held.joined(separator: ", ")) }
    return lines
  }

  /// Returns a sentence about the cause of the disk trouble.
  private func sentence(of disk: StressDisk, _ filledCount: Int?) -> String {
    if let filledCount {
      let size = FullDisk.byteCount >> 20
      return
        "the store lay on a file system of \(size) MB that was filled \(filledCount.counted("time"))"
    }
    return "the disk was \(disk.rawValue) at times, as seen from SQLite"
  }
}
