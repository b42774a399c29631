import Reporting

extension Terminal {
  /// Prints a table, or a list with the same content if the table is wider than the terminal.
  func print(_ table: ReportTable, indent: Int = 2, styled: (String) -> String = { $0 }) {
    let start = String(repeating: " ", count: indent)
    for line in table.lines(width: traits.columns.map { $0 - indent }) {
      print(start + styled(line))
    }
  }
}

extension ReportTable {
  /// Returns the lines of the table, or of a list if the table is wider than the width.
  func lines(width: Int?) -> [String] {
    let lines = text().split(separator: "\n").map(String.init)
    guard let width, lines.contains(where: { $0.count > width }) else { return lines }
    return Columns.fit(caption, width: width).filter { !$0.isEmpty } + list(width: width)
  }

  /// Returns each row as its first cell and, below it, the other non-empty cells with their titles.
  private func list(width: Int) -> [String] {
    rows.flatMap { row -> [String] in
      let facts = zip(columns, row.cells).dropFirst().filter { !$0.1.isEmpty }
        .map { "\($0.title.isEmpty ? "" : $0.title + ": ")\($1)" }
      let text = Columns.wrap(facts.joined(separator: "; ").visible, width: width - 2)
      let name = (row.cells.first ?? "").visible
      return (name.isEmpty ? [] : Columns.fit(name, width: width)) + text.map { "  " + $0 }
    }
  }
}
