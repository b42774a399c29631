internal import PersistentHistory
internal import Traces

/// One step as a row of the table.
struct CounterexampleRow {
  enum Kind {
    case step
    /// A skipped command, or the closing phase.
    case quiet
    /// The step that violates the invariant.
    case violation
  }

  var kind: Kind = .step
  /// The step's number, counted from 1; empty for a step outside of the plan.
  var number = ""
  /// The descriptions of the action, by column.
  var cells: [Int: String] = [:]
  /// A text across all columns, in place of cells.
  var note: String?
  /// The actor, or `nil` for the store, the clock and the closing phase.
  var actor: ActorID?
  /// The word for the action, such as `write` or `pass`.
  var verb = ""
  /// A short description of the action.
  var text = ""
  /// The events of the step, including those that the text omits.
  var events: [Event] = []

  /// Returns a violation row for an event that did not occur in time.
  static func omission(_ note: String) -> CounterexampleRow {
    var row = CounterexampleRow(kind: .violation, note: note)
    row.text = note
    return row
  }
}

/// The rows between the write and the loss of a transaction.
struct CounterexampleLife {
  let name: String
  let rows: ClosedRange<Int>

  /// Returns the mark before a line of a row.
  func mark(row: Int, isFirstLine: Bool) -> String {
    guard rows.contains(row) else { return " " }
    if rows.count == 1 { return isFirstLine ? "╶" : " " }
    if row == rows.lowerBound { return isFirstLine ? "╭" : "│" }
    if row == rows.upperBound { return isFirstLine ? "╰" : " " }
    return "│"
  }

  /// Splits a text at each occurrence of the transaction's name.
  func pieces(of text: String) -> [(text: String, isName: Bool)] {
    var pieces: [(text: String, isName: Bool)] = []
    var plain = ""
    var rest = Substring(text)
    while let range = rest.firstRange(of: name) {
      let isWhole = rest[range.upperBound...].first.map { !$0.isLetter && !$0.isNumber } ?? true
      plain += rest[..<range.lowerBound]
      if isWhole {
        pieces += [(plain, false), (name, true)]
        plain = ""
      } else {
        plain += name
      }
      rest = rest[range.upperBound...]
    }
    return (pieces + [(plain + rest, false)]).filter { !$0.text.isEmpty }
  }
}
