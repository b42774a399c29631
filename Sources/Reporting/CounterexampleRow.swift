internal import PersistentHistory
internal import Traces

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
  /// Who did it, or nothing for the store, the clock and the closing phase.
  var actor: ActorID?
  /// The word for what was done: `write`, `pass`.
  var verb = ""
  /// What was done, in a few words.
  var text = ""
  /// What happened meanwhile, untold things included.
  var events: [Event] = []

  /// Says that something did not happen in time.
  static func omission(_ note: String) -> CounterexampleRow {
    var row = CounterexampleRow(kind: .violation, note: note)
    row.text = note
    return row
  }
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

  /// A text in pieces, those that are the transaction's name apart from the others.
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
