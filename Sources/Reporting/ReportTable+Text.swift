extension ReportTable {
  /// Returns the table for a terminal: aligned columns, and a rule under the titles.
  ///
  /// Line breaks and other control characters within a cell become spaces, so that a cell cannot
  /// disturb the terminal.
  package func text() -> String {
    let hasMarks = rows.contains { $0.mark != nil }
    let titles = columns.map { Self.plain($0.title) }
    let body = rows.map { row in row.cells.map(Self.plain) }
    let widths = columns.indices.map { column in
      max(titles[column].count, body.map { $0[column].count }.max() ?? 0)
    }
    var lines = caption.isEmpty ? [] : [Self.plain(caption)]
    let indent = hasMarks ? "  " : ""
    lines.append(indent + line(titles, widths))
    lines.append(indent + widths.map { String(repeating: "-", count: $0) }.joined(separator: "  "))
    for (row, cells) in zip(rows, body) {
      let sign = hasMarks ? (row.mark?.sign ?? " ") + " " : ""
      lines.append(sign + line(cells, widths))
    }
    return lines.map(Self.withoutTrailingSpace).joined(separator: "\n") + "\n"
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    columns.indices.map { column in
      let space = String(repeating: " ", count: widths[column] - cells[column].count)
      return columns[column].isNumeric ? space + cells[column] : cells[column] + space
    }.joined(separator: "  ")
  }

  private static func plain(_ cell: String) -> String {
    String(cell.map { character in isControl(character) ? " " : character })
  }

  private static func isControl(_ character: Character) -> Bool {
    character.isNewline
      || character.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  private static func withoutTrailingSpace(_ line: String) -> String {
    var line = Substring(line)
    while line.last == " " { line = line.dropLast() }
    return String(line)
  }
}
