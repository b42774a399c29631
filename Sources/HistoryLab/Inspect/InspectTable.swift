/// Rows of cells, laid out so that columns are as wide as their longest cell.
struct InspectTable {
  let rows: [[String]]
  /// The columns whose cells end at the same place, as numbers do.
  var numbers: Set<Int> = []
  /// Whether the first row has the titles of the columns.
  var hasTitles = false

  /// The rows, or a list of them where they are wider than a number of columns.
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

  /// One line a row, without blanks at its end.
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
  /// The longest bar, in letters.
  private static let barMax = 40

  /// One row a label, with its number and a bar as long as its part of the greatest number.
  init(bars: [(label: String, count: Int)], width: Int?) {
    let most = max(1, bars.map(\.count).max() ?? 1)
    let label = bars.map(\.label.count).max() ?? 0
    let room = width.map { $0 - label - String(most).count - 6 } ?? Self.barMax
    let longest = min(max(room, 1), Self.barMax)
    rows = bars.map { bar in
      // What there is at all has a bar.
      let length = (bar.count * longest + most - 1) / most
      return ["  " + bar.label, "\(bar.count)", String(repeating: "#", count: length)]
    }
    numbers = [1]
  }
}
