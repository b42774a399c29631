extension ReportPage {
  /// The page as Markdown, charts left out.
  package func markdown() -> String {
    plain(
      heading: { String(repeating: "#", count: $0) + " " + $1 },
      table: { $0.markdown() },
      code: { "```\n\($0)\n```" }
    )
  }

  /// The page as text for a terminal or a mail, charts left out.
  package func text() -> String {
    plain(
      heading: { rank, text in
        let line = rank == 1 ? "=" : "-"
        return rank > 2 ? text : text + "\n" + String(repeating: line, count: text.count)
      },
      table: { $0.text() },
      code: { $0 }
    )
  }

  private func plain(
    heading: (Int, String) -> String,
    table: (ReportTable) -> String,
    code: (String) -> String
  ) -> String {
    var parts = [heading(1, title), lead]
    if !tiles.isEmpty { parts.append(table(tileTable)) }
    for section in sections {
      parts.append(heading(2, section.heading))
      parts += section.blocks.compactMap { block -> String? in
        switch block {
        case .paragraph(let text): text
        case .subheading(let text, _): heading(3, text)
        case .figure(let figure): table(figure.table)
        case .table(let one): table(one)
        case .definitions(let terms):
          terms.map { "- \($0.name): \($0.value)" }.joined(separator: "\n")
        case .preformatted(let text): code(text)
        case .command(let command, let purpose): purpose + "\n\n" + code(command)
        case .link(let path, let text): "\(text): \(path)"
        case .counterexample: nil
        }
      }
    }
    if !environment.isEmpty {
      parts += [heading(2, "Conditions"), table(conditionTable)]
    }
    return parts.map { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 }
      .joined(separator: "\n\n") + "\n"
  }

  private var tileTable: ReportTable {
    var table = ReportTable(
      columns: [.text("what"), .text("verdict"), .text("answer"), .text("detail")]
    )
    for tile in tiles {
      table.append(
        ReportTable.Row([tile.subject, tile.word, tile.answer, tile.detail], mark: tile.state)
      )
    }
    return table
  }

  private var conditionTable: ReportTable {
    var table = ReportTable(columns: [.text("what"), .text("which")])
    for fact in environment { table.append([fact.name, fact.value]) }
    return table
  }
}
