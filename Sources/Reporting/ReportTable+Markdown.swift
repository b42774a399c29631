extension ReportTable {
  /// Returns the table in the Markdown dialect of GitHub and GitLab.
  ///
  /// If `isLinked` is `true`, cells link to headings with the same text, which the caller must
  /// provide. The default is `false`, without links.
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

  /// Returns a cell with all characters escaped that Markdown or HTML would interpret.
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
