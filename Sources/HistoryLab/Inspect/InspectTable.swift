/// Rows of cells, laid out so that columns are as wide as their longest cell.
struct InspectTable {
  let rows: [[String]]
  /// The columns whose cells end at the same place, as numbers do.
  var numbers: Set<Int> = []

  /// One line a row, without blanks at its end.
  var lines: [String] {
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
  init(bars: [(label: String, count: Int)]) {
    let most = max(1, bars.map(\.count).max() ?? 1)
    rows = bars.map { bar in
      // What there is at all has a bar.
      let length = (bar.count * Self.barMax + most - 1) / most
      return ["  " + bar.label, "\(bar.count)", String(repeating: "#", count: length)]
    }
    numbers = [1]
  }
}
