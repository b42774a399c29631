import Checkers
import Reporting
import Simulation
import Traces
import Workloads

/// Explorations and cards as a person reads them, on a terminal or as Markdown.
struct ExploreText {
  let card: SafetyCard

  /// One line a condition: how much was covered, and what broke.
  var coverage: ReportTable {
    var table = ReportTable(columns: [
      .text("condition"), .text("known as"), .number("actors"), .number("depth"), .number("plans"),
      .number("states"), .number("seconds"), .text("verdict"),
    ])
    for row in card.conditions {
      let standing = Catalogue.standing(of: row.condition)?.word ?? ""
      if row.pieces.isEmpty {
        table.append([
          row.condition.rawValue, standing, "", "", "", "", "", row.because ?? "not explored",
        ])
      }
      for piece in row.pieces {
        table.append([
          row.condition.rawValue, standing, String(piece.scope.actors),
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
      case .outOfStates: "out of its \(piece.stateCountMax.grouped) states" + foreseen(piece)
      case .stopped: "stopped"
      }
    let found = broken.isEmpty ? nil : "broken: " + broken.joined(separator: ", ")
    return [found, end].compactMap { $0 }.joined(separator: "; ").ifEmpty(held(by: piece))
  }

  /// What held where every plan was covered and nothing broke.
  private static func held(by piece: ExploreTask.Outcome) -> String {
    let all = CheckerSuite.names(in: .all).count
    let tested = piece.exploration.exercised.nonzeroBitCount
    if tested == 0 { return "nothing put to the test" }
    return tested < all ? "holds, \(tested) of \(all) put to the test" : "holds"
  }

  private static func foreseen(_ piece: ExploreTask.Outcome) -> String {
    piece.exploration.foreseenStateCount.map {
      ", with the next length there are about \((($0 + 500) / 1_000 * 1_000).grouped)"
    } ?? ""
  }

  /// The card: one row a condition, one column an invariant.
  func matrix(isShort: Bool) -> ReportTable {
    let names = CheckerSuite.names(in: .all)
    var table = ReportTable(
      columns: [.text("condition"), .text("known as")]
        + names.map { .text(isShort ? Self.short($0) : $0) }
    )
    for row in card.conditions {
      let standing = Catalogue.standing(of: row.condition)?.word ?? ""
      table.append([row.condition.rawValue, standing] + row.cells.map(\.word))
    }
    return table
  }

  /// What stands over a narrow column: the first word of the invariant's name.
  private static func short(_ name: String) -> String {
    let end = name.dropFirst().firstIndex(where: \.isUppercase) ?? name.endIndex
    return String(name[..<end])
  }

  /// A line for each shortest plan, shortest first: what broke, where, and by which commands.
  var plans: [String] { broken.map(\.line) }

  /// The same, each with the command that replays it, by the keys of the cells.
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

  /// The commands of a counterexample, and what they come to.
  private func sentence(of counterexample: Counterexample) -> String {
    let words = counterexample.trace.header.plan.words.ifEmpty("no command")
    return "\(words). \(counterexample.violation.because.capitalizedFirst)."
  }

  /// How a condition lies outside the stated use, as a sentence; `nil` where it does not.
  private func outside(_ row: SafetyCard.ConditionReport) -> String? {
    row.outside.map { "Outside the stated use: \($0)." }
  }

  /// The cells that ran out of states.
  var open: String? {
    let budgets = card.conditions.filter { $0.cells.contains { $0.result == .unknown } }
    guard !budgets.isEmpty else { return nil }
    let names = budgets.map { row in
      let budget = row.cells.compactMap(\.budget).max()
      let reason = budget.map { "more than \($0.grouped) states" } ?? "interrupted"
      return "\(row.condition.rawValue) (\(reason))"
    }
    return "Unknown: \(names.joined(separator: ", ")). Try --states with more."
  }

  // MARK: Markdown

  /// The card as Markdown: its matrix, how much was covered, and what broke by condition.
  ///
  /// The legend says what the words of the matrix mean; it is empty where that is said already.
  func markdown(legend: String) -> String {
    let broken = card.conditions.compactMap(breaks)
    let parts = [
      "## " + Self.heading(card.system, nil), card.statedUse.map { "Stated use: \($0)" } ?? "",
      card.sentence.capitalizedFirst, matrix(isShort: false).markdown(), legend,
      coverage.markdown(),
    ]
    return (parts + broken + [open ?? ""]).paragraphs
  }

  /// The heading of a system's card, or of what a condition breaks in it.
  static func heading(_ system: String, _ condition: String?) -> String {
    condition.map { "\(system) under \($0)" } ?? system
  }

  /// What the words in the cells of a card mean.
  static func legend(_ scopes: [ExploreScope]) -> String {
    "holds: in every plan of \(scopes.map(\.sentence).joinedWithAnd). breaks N: the shortest plan "
      + "that breaks it has N commands, every shorter one was run; with ≤ some were not. unknown: it "
      + "ran out of the states that it was allowed, or was interrupted. -: no plan exercises it."
  }

  /// What broke under a condition, shortest plan first; `nil` where nothing did.
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
  /// Blocks of Markdown with a blank line between each two; empty ones are left out.
  var paragraphs: String {
    filter { !$0.isEmpty }.map { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 }
      .joined(separator: "\n\n")
  }
}

extension String {
  fileprivate func ifEmpty(_ other: String) -> String { isEmpty ? other : self }
}

extension Double {
  /// A count that may be beyond every whole number: `1,234` or `1.2e+20`.
  var counted: String {
    self < 1e15 ? Int(self).grouped : String(self)
  }
}
