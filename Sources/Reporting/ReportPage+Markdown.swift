extension ReportPage {
  /// Returns the page as Markdown, without charts and pictures.
  package func markdown() -> String {
    func heading(_ rank: Int, _ text: String) -> String {
      String(repeating: "#", count: rank) + " " + text
    }
    func code(_ text: String) -> String { "```\n\(text)\n```" }
    var parts = [heading(1, title), lead]
    if !tiles.isEmpty { parts.append(tileTable.markdown()) }
    for section in sections {
      parts.append(heading(2, section.heading))
      parts += section.blocks.compactMap { block -> String? in
        switch block {
        case .paragraph(let text): text
        case .subheading(let text, _): heading(3, text)
        case .figure(let figure): figure.table.markdown()
        case .table(let one): one.markdown()
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
      parts += [heading(2, "Conditions"), conditionTable.markdown()]
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
