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
      case .outOfStates: "out of its \(piece.exploration.stateCount.grouped) states"
      case .stopped: "stopped"
      }
    let found = broken.isEmpty ? nil : "broken: " + broken.joined(separator: ", ")
    return [found, end].compactMap { $0 }.joined(separator: "; ").ifEmpty("holds")
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
    return String(name[..<end].prefix(8))
  }

  /// A line for each shortest plan, shortest first: what broke, where, and by which commands.
  var plans: [String] {
    card.cells.compactMap { cell -> (Int, String)? in
      guard let counterexample = cell.counterexample else { return nil }
      let plan = counterexample.trace.header.plan
      return (
        counterexample.length,
        "\(cell.invariant) under \(cell.condition.rawValue), \(counterexample.length): "
          + plan.words.ifEmpty("no command") + ". \(counterexample.violation.because)"
      )
    }.sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// The cells that ran out of states.
  var open: String? {
    let budgets = card.conditions.filter { $0.cells.contains { $0.result == .unknown } }
    guard !budgets.isEmpty else { return nil }
    let names = budgets.map { row in
      let budget = row.cells.compactMap(\.budget).max() ?? 0
      return "\(row.condition.rawValue) (after \(budget.grouped) states)"
    }
    return "Unknown: \(names.joined(separator: ", ")). Try --states with more."
  }

  /// The card as Markdown.
  func markdown(scopes: [ExploreScope]) -> String {
    let legend =
      "holds: in every plan of \(scopes.map(\.sentence).joinedWithAnd). breaks N: the shortest plan "
      + "that breaks it has N commands. -: no plan puts it to the test."
    var parts = [
      "## \(card.system)", card.sentence.capitalizedFirst, matrix(isShort: false).markdown(),
      legend,
      coverage.markdown(),
    ]
    let plans = plans
    if !plans.isEmpty { parts.append(plans.map { "- \($0)" }.joined(separator: "\n")) }
    if let open { parts.append(open) }
    return parts.joined(separator: "\n\n")
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
