extension ReportTable {
  /// Writes the table in the Markdown that GitHub and GitLab read.
  package func markdown() -> String {
    var lines = caption.isEmpty ? [] : ["**\(Self.escaped(caption))**", ""]
    lines.append(line(columns.map(\.title)))
    lines.append("|" + columns.map { $0.isNumeric ? " ---: |" : " --- |" }.joined())
    for row in rows {
      var cells = row.cells
      if let mark = row.mark, let first = cells.first { cells[0] = "\(mark.sign) \(first)" }
      lines.append(line(cells))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func line(_ cells: [String]) -> String {
    "| " + cells.map(Self.escaped).joined(separator: " | ") + " |"
  }

  /// Takes from a cell everything that Markdown or HTML within it would act on.
  private static func escaped(_ cell: String) -> String {
    var result = ""
    for character in cell {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "|", "\\", "`", "*", "_", "[", "]": result += "\\\(character)"
      case _ where character.isNewline: result += " "
      default: result.append(character)
      }
    }
    return result
  }
}
