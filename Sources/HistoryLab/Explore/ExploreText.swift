import Basics
import Checkers
import Commands
import Reporting
import Simulation
import Traces
import Workloads

/// A safety card and its coverage as text, for a terminal or as Markdown.
///
/// A safety card shows which invariants hold or break under each condition.
struct ExploreText {
  let card: SafetyCard

  /// The coverage table: plans, states, time and verdict for each condition and ``ExploreScope``.
  var coverage: ReportTable {
    var table = ReportTable(columns: [
      .text("condition"), .text("known as"), .number("actors"), .number("depth"), .number("plans"),
      .number("states"), .number("seconds"), .text("verdict"),
    ])
    for row in card.conditions {
      let evidence = Catalogue.evidence(of: row.condition)?.word ?? ""
      if row.pieces.isEmpty {
        table.append([
          row.condition.rawValue, evidence, "", "", "", "", "", row.because ?? "not explored",
        ])
      }
      for piece in row.pieces {
        table.append([
          row.condition.rawValue, evidence, String(piece.scope.actors),
          String(piece.exploration.depth), piece.exploration.planCount.counted,
          piece.exploration.stateCount.grouped, String((piece.seconds * 10).rounded() / 10),
          Self.verdict(of: piece),
        ])
      }
    }
    return table
  }

  private static func verdict(of piece: ExploreTask.Outcome) -> String {
    let broken = CheckerSuite.names(in: .all).compactMap { name in
      piece.broken[name].map { "\(name) in \($0.length)" }
    }
    let end: String? =
      switch piece.exploration.ending {
      case .complete: nil
      case .outOfStates:
        "stopped at the limit of \(piece.stateCountMax.grouped) states" + foreseen(piece)
      case .stopped: "stopped"
      }
    let found = broken.isEmpty ? nil : "broken: " + broken.joined(separator: ", ")
    return [found, end].compactMap { $0 }.joined(separator: "; ").ifEmpty(held(by: piece))
  }

  /// Returns the verdict of a task that ran every plan without a violation.
  private static func held(by piece: ExploreTask.Outcome) -> String {
    let all = CheckerSuite.names(in: .all).count
    let tested = piece.exploration.exercised.nonzeroBitCount
    if tested == 0 { return "no invariant exercised" }
    return tested < all ? "holds, \(tested) of \(all) exercised" : "holds"
  }

  private static func foreseen(_ piece: ExploreTask.Outcome) -> String {
    piece.exploration.foreseenStateCount.map {
      ", because plans with one more command would lead to about "
        + "\((($0 + 500) / 1_000 * 1_000).grouped)"
    } ?? ""
  }

  /// Returns the system's results as a table with conditions as rows and invariants as columns.
  ///
  /// If `isShort` is `true`, the title of a column is only the first word of the invariant's name.
  func matrix(isShort: Bool) -> ReportTable {
    let names = CheckerSuite.names(in: .all)
    var table = ReportTable(
      columns: [.text("condition"), .text("known as")]
        + names.map { .text(isShort ? Self.short($0) : $0) }
    )
    for row in card.conditions {
      let evidence = Catalogue.evidence(of: row.condition)?.word ?? ""
      table.append([row.condition.rawValue, evidence] + row.cells.map(\.word))
    }
    return table
  }

  /// Returns the title for a narrow column: the first word of the invariant's name.
  private static func short(_ name: String) -> String {
    let end = name.dropFirst().firstIndex(where: \.isUppercase) ?? name.endIndex
    return String(name[..<end])
  }

  /// One line for each pair of an invariant and a condition under which it breaks.
  ///
  /// The line has the invariant, the condition, the number of commands of the shortest plan found,
  /// these commands, and the reason for the violation. Lines with shorter plans come first.
  var plans: [String] { broken.map(\.line) }

  /// Returns the lines of the property `plans`, each followed by the command that replays the plan.
  ///
  /// `replays` contains these commands by condition and invariant (``SafetyCell/key``). A line
  /// without a command in `replays` is returned alone.
  func plans(replayedBy replays: [String: String]) -> [String] {
    broken.flatMap { plan -> [String] in
      [plan.line] + (replays[plan.key].map { ["  Replay: \($0)"] } ?? [])
    }
  }

  private var broken: [(key: String, length: Int, line: String)] {
    let broken = card.conditions.flatMap { row in
      row.cells.compactMap { cell in
        cell.counterexample.map {
          (key: cell.key, length: $0.length, line: line(cell, $0, row))
        }
      }
    }
    return broken.sorted { $0.length < $1.length }
  }

  private func line(
    _ cell: SafetyCell,
    _ counterexample: Counterexample,
    _ row: SafetyCard.ConditionReport
  ) -> String {
    let place = "\(cell.invariant) under \(row.condition.rawValue), \(counterexample.length)"
    let note = outside(row).map { " " + $0 } ?? ""
    return "\(place): \(sentence(of: counterexample))\(note)"
  }

  /// Returns a counterexample's commands, and the reason why they break the invariant.
  private func sentence(of counterexample: Counterexample) -> String {
    let words = counterexample.trace.header.plan.words.ifEmpty("no command")
    return "\(words). \(counterexample.violation.because.capitalised)."
  }

  /// Returns a sentence that states which rule of a published system a condition breaks.
  ///
  /// The result is `nil` if the condition breaks no rule that the system documents for apps.
  private func outside(_ row: SafetyCard.ConditionReport) -> String? {
    row.outside.map { "Outside the stated use: \($0)." }
  }

  /// A sentence that names the conditions under which the result of an invariant is unknown.
  ///
  /// `nil` if no result is unknown.
  var open: String? {
    let budgets = card.conditions.filter { $0.cells.contains { $0.result == .unknown } }
    guard !budgets.isEmpty else { return nil }
    let names = budgets.map { row in
      let budget = row.cells.compactMap(\.budget).max()
      let reason = budget.map { "more than \($0.grouped) states" } ?? "interrupted"
      return "\(row.condition.rawValue) (\(reason))"
    }
    return "Unknown: \(names.joined(separator: ", ")). Try a larger --states."
  }

  // MARK: Markdown

  /// Returns the safety card as Markdown: the table of results, the coverage, and the invariants
  /// that broke under each condition.
  ///
  /// `legend` explains the phrases of the table; it is empty if the page already explains them.
  func markdown(legend: String) -> String {
    let broken = card.conditions.compactMap(breaks)
    let parts = [
      "## " + Self.heading(card.system, nil), card.statedUse.map { "Stated use: \($0)" } ?? "",
      card.sentence.capitalised, matrix(isShort: false).markdown(), legend,
      coverage.markdown(),
    ]
    return (parts + broken + [open ?? ""]).paragraphs
  }

  /// Returns the heading of a system's safety card, or of the card's section about a condition.
  static func heading(_ system: String, _ condition: String?) -> String {
    condition.map { "\(system) under \($0)" } ?? system
  }

  /// Returns the meaning of the phrases, such as `breaks 4`, in a system's table of results.
  static func legend(_ scopes: [ExploreScope]) -> String {
    "holds: in every plan of \(scopes.map(\.sentence).joinedWithAnd). breaks N: the shortest plan "
      + "that breaks the invariant has N commands; every shorter plan was run. breaks ≤ N: a plan of N "
      + "commands breaks it, and some shorter plans were not run. "
      + "unknown: the limit of states or an interruption ended the search. -: no plan exercises it."
  }

  /// Returns a Markdown section about the invariants that broke under a condition.
  ///
  /// It lists them with their plans, shortest plan first. The result is `nil` if no invariant broke.
  private func breaks(_ row: SafetyCard.ConditionReport) -> String? {
    let broken = row.cells.compactMap { cell in
      cell.counterexample.map { (cell: cell, counterexample: $0) }
    }.sorted { $0.counterexample.length < $1.counterexample.length }
    if broken.isEmpty { return nil }
    let lines = broken.map { cell, counterexample in
      "- \(cell.invariant), \(counterexample.length): \(sentence(of: counterexample))"
    }
    let heading = "### " + Self.heading(card.system, row.condition.rawValue)
    return [heading, outside(row) ?? "", lines.joined(separator: "\n")].paragraphs
  }
}

extension [String] {
  /// The texts as Markdown blocks with a blank line between them; empty ones are omitted.
  var paragraphs: String {
    filter { !$0.isEmpty }.map { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 }
      .joined(separator: "\n\n")
  }
}

extension String {
  fileprivate func ifEmpty(_ other: String) -> String { isEmpty ? other : self }
}

extension Double {
  /// The number as text, even if it exceeds `Int.max`: `1,234` or `1.2e+20`.
  var counted: String {
    self < 1e15 ? Int(self).grouped : String(self)
  }
}
