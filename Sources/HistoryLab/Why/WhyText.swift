import Basics
import Commands
import Foundation
import HistoryTypes
import Reporting
import Traces

/// The explanation of a counterexample as text for a terminal.
struct WhyText {
  let terminal: Terminal
  /// Whether the budget limits the number of continuations.
  let isLimited: Bool

  func print(_ report: WhyReport) {
    let count = report.commands.count.counted("command")
    let violation = report.counterexample.violation
    paragraph("\(report.checker) is broken by \(report.system) in \(count).", .bold)
    paragraph(violation.because.fullStopped.printable)
    terminal.print("")
    printCurve(report)
    terminal.print("")
    heading("What the violation depends on")
    terminal.print(parts(report))
    terminal.print("")
    printNearest(report)
  }

  private func heading(_ text: String) { terminal.print(terminal.styled(text, .bold)) }

  private func paragraph(_ text: String, _ style: Style? = nil) {
    for line in Columns.wrap(text, width: terminal.traits.width) {
      terminal.print(style.map { terminal.styled(line, $0) } ?? line)
    }
  }

  // MARK: Probability

  private func printCurve(_ report: WhyReport) {
    let total = report.curve.points.first?.total ?? 0
    heading("The probability that a random continuation breaks \(report.checker)")
    var table = ReportTable(columns: [
      .number("after"), .text("command"), .number("probability"), .text("95 % interval"),
    ])
    for (place, point) in report.curve.points.enumerated() {
      table.append([
        String(place), place == 0 ? "(before the first)" : report.commands[place - 1],
        Self.percent(point.share), "\(Self.percent(point.lower)) to \(Self.percent(point.upper))",
      ])
    }
    terminal.print(table)
    let seed = "0x" + String(report.seed, radix: 16)
    var ran = "\(total.counted("continuation")) after each command, drawn from the seed \(seed)."
    if isLimited, total < WhyRun.continuationsByDefault {
      ran += " More would take longer than about five seconds; --continuations sets another number."
    }
    paragraph(ran)
    paragraph(Self.rise(report))
    paragraph(Self.noReturn(report))
  }

  private static func rise(_ report: WhyReport) -> String {
    guard let rise = report.curve.steepestRise else { return "No command raised the probability." }
    let text = report.commands[rise.command - 1]
    let step =
      "command \(rise.command) (\(text)), from \(percent(rise.before.share)) to "
      + "\(percent(rise.after.share))"
    return rise.isClear
      ? "It rose most at \(step)." : "No command raised it beyond chance. It rose most at \(step)."
  }

  private static func noReturn(_ report: WhyReport) -> String {
    guard let place = report.curve.pointOfNoReturn else {
      return "After every command some continuation kept the invariant."
    }
    let point = report.curve.points[place]
    let start = place == 0 ? "Before the first command" : "After command \(place)"
    return "\(start) nothing could prevent it: \(point.count.inGroups) of "
      + "\(point.total.counted("continuation")) broke it."
  }

  /// Returns a share in percent with one decimal; only exact shares are 0 % and 100 %.
  static func percent(_ share: Double) -> String {
    if share == 0 || share == 1 { return share == 0 ? "0 %" : "100 %" }
    let tenths = min(999, max(1, (share * 1_000).rounded()))
    return String(format: "%.1f %%", tenths / 10)
  }

  // MARK: Parts

  private func parts(_ report: WhyReport) -> ReportTable {
    var table = ReportTable(columns: [.number("command"), .text("part"), .prose("answer")])
    for part in report.parts {
      table.append([
        part.command.map(String.init) ?? "", part.title.printable, part.words.printable,
      ])
    }
    return table
  }

  // MARK: Nearest plans

  private func printNearest(_ report: WhyReport) {
    guard let nearest = report.nearest.first else {
      paragraph("No plan that holds is one moved, added or left out command away.")
      return
    }
    heading("The nearest plan that holds: \(report.sentence(nearest))")
    var table = ReportTable(columns: [.text("breaks"), .text("holds")])
    for row in nearest.edit.rows(of: report.commands.count) {
      table.append([
        row.original.map { "\($0 + 1)  \(report.commands[$0])" } ?? "",
        row.edited.map { "\($0 + 1)  \(nearest.commands[$0])" } ?? "",
      ])
    }
    terminal.print(table)
    for other in report.nearest.dropFirst() {
      paragraph("It also holds with \(report.sentence(other)).")
    }
  }
}

extension PartAnswer {
  /// The part in a few words.
  var title: String {
    switch kind {
    case .command, .order: kind == .order ? "order with the next" : name
    case .actor, .context, .clock, .fate, .author: "\(kind.rawValue) \(name)"
    case .member: "\(name) itself"
    case .role: "\(name) in all commands"
    case .object: "\(name) in all commands"
    case .change: "change of \(name)"
    case .value: name
    case .faults: "faults of \(name)"
    }
  }
}
