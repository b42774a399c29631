import Basics
import Checkers
import Commands
import HistoryTypes
import Reporting
import Traces
import Workloads

/// The results of a check as text for a terminal.
struct CheckText {
  let terminal: Terminal

  /// Prints the results of one system, and how many of its plans contained each of `conditions`.
  func print(_ report: SystemReport, seed: UInt64, conditions: Set<Condition> = []) {
    let rate = report.seconds > 0 ? Int(Double(report.tally.stepCount) / report.seconds) : 0
    terminal.print(
      terminal.styled(report.system, .bold)
        + ": \(report.tally.planCount.counted("plan")), \(report.tally.stepCount.counted("step")) "
        + "(\(rate.grouped)/s), seed 0x\(String(seed, radix: 16)), "
        + "\(report.tally.repeatedPlanCount.grouped) run twice"
    )
    terminal.print(table(report.tally), styled: styled)
    if !conditions.isEmpty { terminal.print(table(conditions, report.tally)) }
    if !report.tally.faults.pairs.isEmpty { terminal.print(table(report.tally.faults)) }
    if !report.tally.refusals.pairs.isEmpty { terminal.print(table(report.tally.refusals)) }
    for sentence in report.tally.faults.sentences { terminal.print("  " + sentence) }
    let isGood = report.counterexamples.isEmpty && report.tally.difference == nil
    let style: Style = isGood ? (report.tally.runFailure == nil ? .green : .yellow) : .red
    terminal.print(terminal.styled("  " + report.sentence.capitalised, style))
    terminal.print("")
    for (index, shrunk) in ViolationOrder.mostSpecificFirst(
      report.counterexamples,
      by: \.violation.checker
    )
    .enumerated() {
      if index == 0 { show(shrunk) } else { mention(shrunk) }
    }
    if report.counterexamples.count > 1 { terminal.print("") }
  }

  /// Prints the minimum probability that a plan finds a bug, if the schedule guarantees one.
  func print(_ schedule: PlanSchedule, actors: Int, commands: Int) {
    guard case .pct(let depth) = schedule,
      let bound = schedule.leastProbability(actors: actors, steps: commands)
    else { return }
    terminal.print(
      "pct/\(depth): a bug that depends on the order of \(depth.counted("step")) is found by a plan of "
        + "\(actors.counted("actor")) and \(commands.counted("command")) with a probability of at least 1 in "
        + "\(Int((1 / bound).rounded()).grouped)."
    )
  }

  /// Returns a table with the numbers of plans that kept, broke or did not exercise each invariant.
  private func table(_ tally: CheckTally) -> ReportTable {
    var table = ReportTable(columns: [
      .text("invariant"), .text("verdict"), .number("held"), .number("broke"),
      .number("not exercised"),
    ])
    for name in CheckerSuite.names(in: .all) {
      let count = tally.counts[name] ?? CheckTally.Count()
      let verdict = count.invalid > 0 ? "broken" : count.valid > 0 ? "held" : "undecided"
      table.append([
        name, verdict, count.valid.grouped, count.invalid.grouped, count.unknown.grouped,
      ])
    }
    return table
  }

  /// Returns a table with the number of plans that contained each condition.
  private func table(_ conditions: Set<Condition>, _ tally: CheckTally) -> ReportTable {
    var table = ReportTable(columns: [.text("condition"), .number("plans")])
    for condition in Condition.allCases where conditions.contains(condition) {
      table.append([condition.rawValue, (tally.conditions[condition] ?? 0).grouped])
    }
    return table
  }

  /// Returns a table with the number of injected faults of each kind in each command.
  private func table(_ faults: FaultCounts) -> ReportTable {
    let kinds = PlannedFault.Kind.allCases.filter { kind in
      faults.pairs.keys.contains { $0.kind == kind }
    }
    var table = ReportTable(columns: [.text("command")] + kinds.map { .number($0.rawValue) })
    for word in faults.words.sorted() {
      let counts = kinds.map { faults.pairs[FaultCounts.Pair(command: word, kind: $0)] }
      table.append(
        [word] + counts.map { "\(($0?.fired ?? 0).grouped)/\(($0?.planned ?? 0).grouped)" }
      )
    }
    return table
  }

  /// Returns a table with the number of failures of each kind of command, by error code.
  private func table(_ refusals: RefusalCounts) -> ReportTable {
    let codes = SystemFailure.Code.allCases.filter { refusals.count(of: $0) > 0 }
    var table = ReportTable(columns: [.text("refused")] + codes.map { .number($0.rawValue) })
    for command in Set(refusals.pairs.keys.map(\.command)).sorted() {
      let counts = codes.map { refusals.pairs[RefusalCounts.Pair(command: command, code: $0)] ?? 0 }
      table.append([command] + counts.map(\.grouped))
    }
    return table
  }

  private func styled(_ line: String) -> String {
    let words = line.split(separator: " ")
    guard words.count > 1 else { return line }
    switch words[1] {
    case "broken": return terminal.styled(line, .red)
    case "undecided": return terminal.styled(line, .yellow)
    default: return line
    }
  }

  private func show(_ report: CounterexampleReport) {
    let shrunk = report.shrunk
    terminal.print(
      "\(report.violation.checker) broke first in plan \(shrunk.plan), "
        + "\(shrunk.originalCommandCount.counted("command")); shrunk to \(report.commandCount) "
        + "in \(shrunk.evaluations.counted("try", "tries"))\(shrunk.isMinimal ? "" : " (not finished)"):"
    )
    terminal.print("")
    let text = CounterexampleText(
      width: min(terminal.traits.width, 120),
      colour: terminal.traits.usesColour
    )
    for line in text.render(shrunk.counterexample, replay: replay(report)).split(
      separator: "\n",
      omittingEmptySubsequences: false
    ) {
      terminal.print(String(line))
    }
    terminal.print("Picture: \(report.kept.pagePath)")
    terminal.print("")
  }

  private func replay(_ report: CounterexampleReport) -> String {
    report.kept.replay(for: .here(terminal.command))
  }

  private func mention(_ report: CounterexampleReport) {
    let commands = report.commandCount.counted("command")
    terminal.print(
      "\(report.violation.checker), \(commands): \(report.violation.because.fullStopped)"
    )
    terminal.print("  \(replay(report))")
  }
}

extension String {
  /// The text with a full stop, unless it already ends with a punctuation mark.
  var fullStopped: String { [".", "!", "?"].contains { hasSuffix($0) } ? self : self + "." }
}
