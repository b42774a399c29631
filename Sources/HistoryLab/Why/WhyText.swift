import Basics
import Commands
import Foundation
import HistoryTypes
import Reporting
import Traces

/// The explanation of a counterexample as text for a terminal.
struct WhyText {
  let terminal: Terminal

  func print(_ report: WhyReport) {
    let count = report.commands.count.counted("command")
    let violation = report.counterexample.violation
    paragraph("\(report.system) violates \(report.checker) in \(count).", .bold)
    paragraph(violation.because.fullStopped.printable)
    terminal.print("")
    printCurve(report)
    terminal.print("")
    heading("What the violation depends on")
    terminal.print(report.partTable)
    terminal.print("")
    printNearest(report)
  }

  private func heading(_ text: String) { terminal.print(terminal.styled(text, .bold)) }

  private func paragraph(_ text: String, _ style: Style? = nil) {
    for line in Columns.wrap(text, width: terminal.traits.width) {
      terminal.print(style.map { terminal.styled(line, $0) } ?? line)
    }
  }

  private func printCurve(_ report: WhyReport) {
    heading("The probability that a random continuation breaks \(report.checker)")
    terminal.print(report.curveTable)
    for sentence in report.curveSentences { paragraph(sentence) }
  }

  private func printNearest(_ report: WhyReport) {
    guard let nearest = report.nearest.first else {
      paragraph(WhyReport.noNearest)
      return
    }
    heading("The nearest plan without the violation: \(report.sentence(nearest))")
    terminal.print(report.table(beside: nearest))
    for other in report.nearest.dropFirst() { paragraph(report.alsoHolds(other)) }
  }

  /// Returns a share in percent with one decimal; only the shares 0 and 1 give `0 %` and `100 %`.
  static func percent(_ share: Double) -> String {
    if share == 0 || share == 1 { return share == 0 ? "0 %" : "100 %" }
    let tenths = min(999, max(1, (share * 1_000).rounded()))
    return String(format: "%.1f %%", tenths / 10)
  }
}

/// The tables and sentences that the text and the page have in common.
extension WhyReport {
  /// A table of the probability of a violation before the first command and after each command.
  var curveTable: ReportTable {
    var table = ReportTable(columns: [
      .number("after"), .text("command"), .number("probability"), .text("95 % interval"),
    ])
    for (place, point) in curve.points.enumerated() {
      table.append([
        String(place), place == 0 ? "(before the first)" : commands[place - 1],
        WhyText.percent(point.share),
        "\(WhyText.percent(point.lower)) to \(WhyText.percent(point.upper))",
      ])
    }
    return table
  }

  /// Sentences about the probability that a random continuation of the plan breaks the invariant.
  ///
  /// They state the number of continuations, the command that raised the probability most, and the
  /// point after which every continuation breaks the invariant.
  var curveSentences: [String] {
    let total = curve.points.first?.total ?? 0
    let seed = "0x" + String(seed, radix: 16)
    var ran = "\(total.counted("continuation")) after each command, drawn from the seed \(seed)."
    if isLimited, total < WhyRun.continuationsByDefault {
      ran +=
        " More would exceed \(WhyRun.eventBudget.counted("event")); --continuations sets another number."
    }
    return [ran, rise, noReturn]
  }

  private var rise: String {
    guard let rise = curve.steepestRise else { return "No command raised the probability." }
    let most =
      "Command \(rise.command) (\(commands[rise.command - 1])) decided most: it raised the "
      + "probability from \(WhyText.percent(rise.before.share)) to "
      + "\(WhyText.percent(rise.after.share))."
    return rise.isClear ? most : "\(most) Chance alone may explain that."
  }

  private var noReturn: String {
    guard let place = curve.pointOfNoReturn else {
      return "After every command some continuation kept the invariant."
    }
    if place == curve.broken {
      return "Command \(place) breaks the invariant, so continuations after it were not run."
    }
    let point = curve.points[place]
    let start = place == 0 ? "Before the first command" : "After command \(place)"
    return "\(start) every continuation broke the invariant: \(point.count.inGroups) of "
      + "\(point.total.counted("continuation"))."
  }

  /// A table that states for each part of the plan whether the violation depends on the part.
  var partTable: ReportTable {
    var table = ReportTable(columns: [.number("command"), .text("part"), .prose("answer")])
    for part in parts {
      table.append([
        part.command.map(String.init) ?? "", part.title.printable, part.words.printable,
      ])
    }
    return table
  }

  static let noNearest = "No plan with one command moved, added or left out avoids the violation."

  /// Returns a sentence about a plan in ``nearest``, for the plans after the first.
  ///
  /// These plans avoid the violation with another kind of edit.
  func alsoHolds(_ nearest: Nearest) -> String {
    "The violation is also avoided by a plan with \(sentence(nearest))."
  }

  /// Returns a table of the plan's commands next to those of a similar plan that breaks no invariant.
  func table(beside nearest: Nearest) -> ReportTable {
    var table = ReportTable(columns: [.text("breaks"), .text("holds")])
    for row in nearest.edit.rows(of: commands.count) {
      table.append([
        row.original.map { "\($0 + 1)  \(commands[$0])" } ?? "",
        row.edited.map { "\($0 + 1)  \(nearest.commands[$0])" } ?? "",
      ])
    }
    return table
  }
}

extension PartAnswer {
  /// The part's name in a few words.
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
