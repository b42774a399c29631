internal import HistoryTypes
internal import Traces

/// A layout of rows in columns within a given width; the text of each cell is wrapped in its column.
struct CounterexampleTable {
  /// The minimum width of a readable column, in terminal columns.
  static let columnWidthMin = 14
  private static let separator = " │ "

  let headings: [String]
  let rows: [CounterexampleRow]
  let life: CounterexampleLife?
  let colour: Bool
  /// The widths of the columns, in terminal columns.
  private let widths: [Int]
  private let total: Int
  private let digits: Int

  init(
    headings: [String],
    rows: [CounterexampleRow],
    life: CounterexampleLife?,
    width: Int,
    colour: Bool
  ) {
    self.headings = headings
    self.rows = rows
    self.life = life
    self.colour = colour
    total = width
    digits = max(1, rows.map(\.number.count).max() ?? 1)
    widths = Self.widths(headings, rows, within: width - Self.gutter(digits))
  }

  /// Returns the width of the area before the first cell.
  ///
  /// The area has the violation's sign `>`, the step's number and the line of ``CounterexampleLife``.
  private static func gutter(_ digits: Int) -> Int { 2 + digits + 1 + 1 }

  /// Returns whether a number of columns within a width leaves each column readable.
  static func fits(_ count: Int, within width: Int) -> Bool {
    let available = width - gutter(2) - count * separator.count
    return available >= count * columnWidthMin
  }

  /// Returns the width of each column: the width of its widest cell, or less if the space is short.
  private static func widths(
    _ headings: [String],
    _ rows: [CounterexampleRow],
    within width: Int
  ) -> [Int] {
    let natural = headings.indices.map { column in
      let cells = rows.compactMap { $0.cells[column] } + [headings[column]]
      return cells.map { CounterexampleCell.width($0) }.max() ?? 0
    }
    let available = max(headings.count, width - headings.count * separator.count)
    var cap = natural.max() ?? 0
    while cap > 1, natural.reduce(0, { $0 + min($1, cap) }) > available { cap -= 1 }
    return natural.map { min($0, cap) }
  }

  /// Returns the lines of the table: the heading, a horizontal line and the rows.
  func lines() -> [String] {
    [heading, rule] + rows.indices.flatMap { lines(of: $0) }
  }

  private var heading: String {
    let cells = zip(headings, widths).map { heading, width in
      CounterexampleCell.pad(CounterexampleCell.cut(heading, to: width), to: width)
    }
    let gutter = String(repeating: " ", count: Self.gutter(digits))
    return paint(trimmed(gutter + cells.map { Self.separator + $0 }.joined()), .bold)
  }

  private var rule: String {
    let gutter = String(repeating: "─", count: Self.gutter(digits))
    return gutter + widths.map { "─┼─" + String(repeating: "─", count: $0) }.joined()
  }

  private func lines(of index: Int) -> [String] {
    let row = rows[index]
    if let note = row.note { return noteLines(note, index) }
    let cells = headings.indices.map { column in
      CounterexampleCell.wrap(row.cells[column] ?? "", to: widths[column])
    }
    let count = max(1, cells.map(\.count).max() ?? 1)
    return (0..<count).map { line in
      let texts = headings.indices.map { column in
        let text = cells[column].indices.contains(line) ? cells[column][line] : ""
        return emphasised(text, row.kind, index)
          + CounterexampleCell.pad("", to: widths[column] - CounterexampleCell.width(text))
      }
      return self.line(index, line, texts)
    }
  }

  private func noteLines(_ note: String, _ index: Int) -> [String] {
    let width = total - Self.gutter(digits) - 3
    return CounterexampleCell.wrap(note, to: max(1, width)).enumerated().map { line, text in
      let start = start(index, line)
      let dash = line == 0 ? " · " : "   "
      return trimmed(start + emphasised(dash + text, rows[index].kind, index))
    }
  }

  private func line(_ index: Int, _ line: Int, _ cells: [String]) -> String {
    trimmed(start(index, line) + cells.map { Self.separator + $0 }.joined())
  }

  /// Returns the start of a line: the violation's sign, step number, and part of a vertical line.
  ///
  /// The vertical line connects the rows of ``CounterexampleLife``.
  private func start(_ index: Int, _ line: Int) -> String {
    let row = rows[index]
    let mark = row.kind == .violation && line == 0 ? paint(">", .loss) : " "
    let life = life?.mark(row: index, isFirstLine: line == 0) ?? " "
    let lifeStyle: CounterexampleStyle = row.kind == .violation ? .loss : .life
    let number = line == 0 ? row.number : ""
    let padding = String(repeating: " ", count: digits - number.count)
    return "\(mark) \(padding)\(number) " + (life == " " ? life : paint(life, lifeStyle))
  }

  private func emphasised(_ text: String, _ kind: CounterexampleRow.Kind, _ index: Int) -> String {
    switch kind {
    case .violation: paint(text, .loss)
    case .quiet: paint(text, .quiet)
    case .step: followed(text, index)
    }
  }

  /// Colours the name of the lost transaction in the rows of ``life``.
  private func followed(_ text: String, _ index: Int) -> String {
    guard colour, let life, life.rows.contains(index) else { return text }
    return life.pieces(of: text).map { $0.isName ? paint($0.text, .life) : $0.text }.joined()
  }

  private func paint(_ text: String, _ style: CounterexampleStyle) -> String {
    colour && text.contains { $0 != " " } ? style.rawValue + text + CounterexampleStyle.end : text
  }

  private func trimmed(_ line: String) -> String {
    var line = Substring(line)
    while line.last == " " { line.removeLast() }
    return String(line)
  }
}

/// One step as a row of the table.
struct CounterexampleRow {
  enum Kind {
    case step
    /// The row of a skipped command, or of the steps after the plan's last command.
    case quiet
    /// The row of the step that violates the invariant.
    case violation
  }

  var kind: Kind = .step
  /// The step's number, counted from 1; empty for a step outside of the plan.
  var number = ""
  /// The texts of the action, by column.
  var cells: [Int: String] = [:]
  /// A text across all columns; `nil` if the row has cells.
  var note: String?
  /// The actor of the step; `nil` for the store, the clock and the combined steps after the plan's
  /// last command.
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

/// The life of the lost transaction, the one that the violation is about.
///
/// It spans the rows from the transaction's write to the row that shows the violation.
struct CounterexampleLife {
  let name: String
  let rows: ClosedRange<Int>

  /// Returns the character to print before a line of a row.
  ///
  /// In ``rows``, from the transaction's write to the violation, these characters draw a vertical
  /// line. Elsewhere, the character is a space.
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

/// Measures and wraps text by the terminal columns that it occupies.
enum CounterexampleCell {
  /// The maximum number of lines in a cell.
  static let lineCountMax = 6

  /// Returns the number of terminal columns of a text; wide characters and emoji occupy two.
  static func width(_ text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + width($1) }
  }

  private static func width(_ letter: Character) -> Int {
    guard let scalar = letter.unicodeScalars.first else { return 0 }
    switch scalar.value {
    case 0x1100...0x115f, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
      0xff00...0xff60, 0xffe0...0xffe6, 0x1f000...0x1faff, 0x2_0000...0x3_fffd:
      return 2
    default: return scalar.properties.isEmojiPresentation ? 2 : 1
    }
  }

  /// Returns the text with spaces appended up to a number of terminal columns.
  static func pad(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - width(text)))
  }

  /// Returns the text truncated to a number of terminal columns, with an ellipsis if it is too long.
  static func cut(_ text: String, to columns: Int) -> String {
    guard width(text) > columns else { return text }
    return prefix(of: text, columns - 1) + "…"
  }

  /// Returns the text in at most six lines, none wider than a number of terminal columns.
  ///
  /// Lines break at spaces where possible. No-break spaces become spaces.
  static func wrap(_ text: String, to columns: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ").flatMap({ pieces(of: String($0), columns) }) {
      if line.isEmpty {
        line = word
      } else if width(line) + 1 + width(word) <= columns {
        line += " " + word
      } else {
        lines.append(line)
        line = word
      }
    }
    if !line.isEmpty { lines.append(line) }
    return shorten(lines, columns).map { $0.replacing("\u{a0}", with: " ") }
  }

  /// Returns at most six lines: the first five and the last one, which contains the outcome.
  private static func shorten(_ lines: [String], _ columns: Int) -> [String] {
    guard lines.count > lineCountMax, let last = lines.last else { return lines }
    let kept = lines.prefix(lineCountMax - 1)
    let cut = kept.last.map { self.cut($0 + " …", to: columns) } ?? "…"
    return kept.dropLast() + [cut, last]
  }

  private static func prefix(of text: String, _ columns: Int) -> String {
    var taken = 0
    return String(
      text.prefix { letter in
        taken += width(letter)
        return taken <= columns
      }
    )
  }

  /// Returns a long word in pieces that fit in one line each.
  private static func pieces(of word: String, _ columns: Int) -> [String] {
    var pieces: [String] = []
    var rest = Substring(word)
    while width(rest) > columns {
      let piece = prefix(of: String(rest), columns)
      guard !piece.isEmpty else { break }
      pieces.append(piece)
      rest = rest.dropFirst(piece.count)
    }
    return pieces + [String(rest)]
  }
}

/// Text styles of a terminal, as escape sequences (ECMA-48, SGR).
enum CounterexampleStyle: String {
  case bold = "\u{1b}[1m"
  case quiet = "\u{1b}[2m"
  case life = "\u{1b}[1;33m"
  case loss = "\u{1b}[1;31m"

  static let end = "\u{1b}[0m"
}
