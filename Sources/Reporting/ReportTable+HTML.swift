import Foundation

extension ReportTable {
  /// Returns the table in a frame that scrolls horizontally if the table is too wide.
  ///
  /// On a narrow screen a table with sentences is stacked: each row becomes a few lines. A long
  /// table is collapsed until it is clicked.
  ///
  /// With a file name the values can be saved as a CSV file, which the page itself contains. The
  /// file contains `values` if given: plain numbers instead of those formatted for readers.
  func html(fileName: String? = nil, values: ReportTable? = nil) -> HTML {
    var parts: [HTML] = []
    if !caption.isEmpty || fileName != nil { parts.append(captionLine(fileName, values)) }
    let titles = columns.map { column in
      HTML.element("th", ["scope": "col"], [Self.content(column.title, column.link)])
    }
    let table = HTML.element(
      "table",
      ["class": style, "aria-label": caption],
      [
        .element("thead", [:], [.element("tr", [:], titles)]),
        .element("tbody", [:], rows.map(row)),
      ]
    )
    let frame = HTML.element("div", ["class": "scroll", "tabindex": "0"], [table])
    let isLong = rows.count > Self.shownRowCountMax
    let summary = HTML.element("summary", text: "Show \(rows.count) rows")
    parts.append(isLong ? .element("details", [:], [summary, frame]) : frame)
    return .element("div", ["class": "table"], parts)
  }

  private func row(_ row: Row) -> HTML {
    let cells = row.cells.enumerated().map { place, cell in
      let sign = place == 0 ? row.mark.map { [$0.signHTML] } ?? [] : []
      let note = row.cellNotes[place]
      let state = row.cellMarks[place].map { "cell \($0.rawValue)" }
      let isWide = isStacked && (columns[place].isProse || note != nil)
      let label = isStacked && columns[place].isNumeric ? columns[place].title : ""
      return HTML.element(
        "td",
        ["class": state ?? (isWide ? "wide" : ""), "data-label": label],
        sign + [Self.content(cell, row.cellLinks[place])]
          + (note.map { [HTML.element("small", text: $0)] } ?? [])
      )
    }
    return .element(
      "tr",
      ["id": row.anchor ?? "", "class": row.mark.map { "mark \($0.rawValue)" } ?? ""],
      cells
    )
  }

  private static func content(_ text: String, _ link: Link?) -> HTML {
    switch link {
    case .file(let path): .element("a", ["href": PageBlock.relative(path)], text: text)
    case .place(let anchor): .element("a", ["href": "#" + anchor], text: text)
    case nil: .text(text)
    }
  }

  private func captionLine(_ fileName: String?, _ values: ReportTable?) -> HTML {
    var parts: [HTML] = [.element("span", text: caption)]
    if let fileName { parts.append(csvLink(fileName, values)) }
    return .element("p", ["class": "caption"], parts)
  }

  private func csvLink(_ fileName: String, _ values: ReportTable?) -> HTML {
    let text =
      (values ?? self).csv()
      .addingPercentEncoding(withAllowedCharacters: Self.plainCharacters) ?? ""
    return .element(
      "a",
      [
        "class": "csv", "download": fileName + ".csv",
        "href": "data:text/csv;charset=utf-8," + text,
        "aria-label": "Save this table as CSV",
      ],
      text: "CSV"
    )
  }

  /// The characters that a data URL contains unescaped.
  private static let plainCharacters = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~,;:()/"
  )

  /// The CSS classes of the table: its numeric columns and its layout on a narrow screen.
  private var style: String {
    let numeric = columns.indices.filter { columns[$0].isNumeric }.map { "n\($0 + 1)" }
    let layout = isMatrix ? ["matrix"] : isStacked ? ["stack"] : []
    return (numeric + layout).joined(separator: " ")
  }

  /// Whether single cells are marked, so that rows and columns are equally important.
  private var isMatrix: Bool { rows.contains { !$0.cellMarks.isEmpty } }

  private var isStacked: Bool {
    !isMatrix && (columns.contains(where: \.isProse) || rows.contains { !$0.cellNotes.isEmpty })
  }
}

extension VerdictState {
  /// The sign, with its word as a text alternative.
  var signHTML: HTML {
    .element(
      "span",
      ["class": "sign", "role": "img", "aria-label": word, "title": word],
      text: sign
    )
  }
}
