/// A table of text cells in columns that are as wide as their longest cell.
struct InspectTable {
  let rows: [[String]]
  /// The indexes of the right-aligned columns.
  var numbers: Set<Int> = []
  /// Whether the first row contains the column titles.
  var hasTitles = false

  /// Returns the rows as lines, or as a list if a line would exceed the width.
  func lines(width: Int?) -> [String] {
    guard let width, lines.contains(where: { $0.count > width }) else { return lines }
    guard hasTitles, let titles = rows.first else {
      return rows.flatMap { row in
        Columns.fit(row.prefix(2).joined(separator: "  "), width: width)
          + indented(row.dropFirst(2).filter { !$0.isEmpty }, by: 2, width)
      }
    }
    return Columns.fit("\(titles[0]):", width: width)
      + rows.dropFirst().flatMap { row in
        Columns.fit("  " + row[0], width: width)
          + indented(zip(titles, row).dropFirst().map { "\($0): \($1)" }, by: 4, width)
      }
  }

  private func indented(_ facts: [String], by indent: Int, _ width: Int) -> [String] {
    let start = String(repeating: " ", count: indent)
    return Columns.wrap(facts.joined(separator: "; "), width: width - indent).map { start + $0 }
  }

  /// One line for each row, without trailing blanks.
  private var lines: [String] {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        let blanks = String(repeating: " ", count: widths[column] - cell.count)
        return numbers.contains(column) ? blanks + cell : cell + blanks
      }
      let line = cells.joined(separator: "  ")
      return String(
        line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)]
      )
    }
  }
}

extension InspectTable {
  /// The maximum length of a bar, in characters.
  private static let barMax = 40

  /// Creates a row for each label, with its number and a bar in proportion to the greatest number.
  init(bars: [(label: String, count: Int)], width: Int?) {
    let most = max(1, bars.map(\.count).max() ?? 1)
    let label = bars.map(\.label.count).max() ?? 0
    let room = width.map { $0 - label - String(most).count - 6 } ?? Self.barMax
    let longest = min(max(room, 1), Self.barMax)
    rows = bars.map { bar in
      // The length is rounded up, so that every positive number has a bar.
      let length = (bar.count * longest + most - 1) / most
      return ["  " + bar.label, "\(bar.count)", String(repeating: "#", count: length)]
    }
    numbers = [1]
  }
}
