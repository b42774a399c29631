/// A layout of rows in columns that fit a width, with each cell wrapped within its column.
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

  /// Returns the width before the first cell: a mark, the number and the transaction's life.
  private static func gutter(_ digits: Int) -> Int { 2 + digits + 1 + 1 }

  /// Returns whether a number of columns is readable within a width.
  static func fits(_ count: Int, within width: Int) -> Bool {
    let available = width - gutter(2) - count * separator.count
    return available >= count * columnWidthMin
  }

  /// Returns the widths of the widest cells, with the widest columns narrowed to fit.
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

  /// Returns the heading, a rule and the rows.
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

  /// Returns the mark, number and life at the start of a line.
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

  /// Returns the text with the followed transaction's name coloured, during its life.
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
