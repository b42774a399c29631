extension ReportTable {
  /// Writes the table in the Markdown that GitHub and GitLab read.
  ///
  /// Cells lead to places where these are headings of the same text, which the caller knows. The default
  /// is `false`: cells lead nowhere.
  package func markdown(isLinked: Bool = false) -> String {
    func linked(_ text: String, _ link: Link?) -> String {
      guard isLinked, case .place(let anchor) = link else { return Self.escaped(text) }
      return "[\(Self.escaped(text))](#\(anchor))"
    }
    var lines = caption.isEmpty ? [] : ["**\(Self.escaped(caption))**", ""]
    lines.append(line(columns.map { linked($0.title, $0.link) }))
    lines.append("|" + columns.map { $0.isNumeric ? " ---: |" : " --- |" }.joined())
    for row in rows {
      var cells = row.cells.enumerated().map { linked($1, row.cellLinks[$0]) }
      if let mark = row.mark, let first = cells.first { cells[0] = "\(mark.sign) \(first)" }
      lines.append(line(cells))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func line(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |"
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
