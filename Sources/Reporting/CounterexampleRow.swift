/// One step as the table shows it.
struct CounterexampleRow {
  enum Kind {
    case step
    /// What did not run, and the closing phase.
    case quiet
    /// The step that breaks the invariant.
    case violation
  }

  var kind: Kind = .step
  /// The step's number, counted from 1; empty for what came by itself.
  var number = ""
  /// What was done, by column.
  var cells: [Int: String] = [:]
  /// What is said across all columns, instead of cells.
  var note: String?
}

/// Which rows a transaction lives through, from its write to its loss.
struct CounterexampleLife {
  let name: String
  let rows: ClosedRange<Int>

  /// The mark beside a line of a row.
  func mark(row: Int, isFirstLine: Bool) -> String {
    guard rows.contains(row) else { return " " }
    if rows.count == 1 { return isFirstLine ? "╶" : " " }
    if row == rows.lowerBound { return isFirstLine ? "╭" : "│" }
    if row == rows.upperBound { return isFirstLine ? "╰" : " " }
    return "│"
  }
}
