import Foundation

/// A table of rows and columns, rendered differently by each kind of output.
package struct ReportTable: Sendable, Hashable {
  /// One column: its title and its alignment.
  package struct Column: Sendable, Hashable {
    package var title: String
    /// Whether the column contains numbers, which are right-aligned.
    package var isNumeric: Bool
    /// Whether the column contains sentences, which get a line of their own on a narrow screen.
    package var isProse = false
    /// The link of the title; `nil` if there is none.
    package var link: Link?

    package static func text(_ title: String, link: Link? = nil) -> Column {
      Column(title: title, isNumeric: false, link: link)
    }

    /// Creates a column of sentences.
    package static func prose(_ title: String) -> Column {
      Column(title: title, isNumeric: false, isProse: true)
    }

    package static func number(_ title: String) -> Column { Column(title: title, isNumeric: true) }
  }

  /// The target of a link from a cell or a column's title.
  package enum Link: Sendable, Hashable {
    /// A file in the page's folder, by its relative path.
    case file(String)
    /// A target on the same page, by its anchor.
    case place(String)
  }

  /// One row of a table: its cells, with verdicts, links and notes.
  package struct Row: Sendable, Hashable {
    /// The cells, as many as there are columns.
    package var cells: [String]
    /// The verdict on the row, shown as a sign before the first cell's text; `nil` if there is none.
    package var mark: VerdictState?
    /// The verdicts on single cells of the row, by the index of the cell's column.
    package var cellMarks: [Int: VerdictState] = [:]
    /// The links of single cells of the row, by the index of the cell's column.
    package var cellLinks: [Int: Link] = [:]
    /// The notes that a page prints below the text of cells, by the index of the cell's column.
    package var cellNotes: [Int: String] = [:]
    /// The anchor by which the row can be linked to; `nil` if there is none.
    package var anchor: String?

    package init(_ cells: [String], mark: VerdictState? = nil, anchor: String? = nil) {
      self.cells = cells
      self.mark = mark
      self.anchor = anchor
    }
  }

  /// The maximum number of columns of a table.
  package static let mostColumns = 24
  /// The maximum number of rows that a page shows before the reader expands the table.
  static let shownRowCountMax = 100

  /// The subject of the table, in a few words.
  package var caption: String
  package var columns: [Column]
  package private(set) var rows: [Row] = []

  /// Creates a table without rows, of at most 24 columns.
  package init(caption: String = "", columns: [Column]) {
    precondition(columns.count <= Self.mostColumns, "\(columns.count) columns")
    self.caption = caption
    self.columns = columns
  }

  /// Appends a row, which must have as many cells as there are columns.
  package mutating func append(_ row: Row) {
    precondition(
      row.cells.count == columns.count,
      "\(row.cells.count) cells in \(columns.count) columns"
    )
    rows.append(row)
  }

  /// Appends a row that has only cells, without verdicts, links or notes.
  package mutating func append(_ cells: [String]) { append(Row(cells)) }

  /// Returns the column titles and cells as comma-separated values; verdicts and notes are left out.
  package func csv() -> String {
    var writer = CSVWriter(columns: columns.map(\.title))
    for row in rows { writer.append(row.cells) }
    return writer.text
  }
}

extension ReportTable {
  /// Returns the table in a frame that scrolls horizontally if the table is too wide.
  ///
  /// On a narrow screen, each row of a table with sentences becomes a few lines. A long table is
  /// collapsed until the reader clicks it.
  ///
  /// If `fileName` is given, the page contains a CSV file that the reader can save. The file contains
  /// the unformatted numbers of `values`. If `values` is `nil`, the file contains the cells of this
  /// table.
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

  /// The characters that need no escape in a data URL.
  private static let plainCharacters = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~,;:()/"
  )

  /// The CSS classes of the table: its numeric columns and its layout on a narrow screen.
  private var style: String {
    let numeric = columns.indices.filter { columns[$0].isNumeric }.map { "n\($0 + 1)" }
    let layout = isMatrix ? ["matrix"] : isStacked ? ["stack"] : []
    return (numeric + layout).joined(separator: " ")
  }

  /// Whether any cell has a verdict of its own, as where rows and columns are equally important.
  private var isMatrix: Bool { rows.contains { !$0.cellMarks.isEmpty } }

  private var isStacked: Bool {
    !isMatrix && (columns.contains(where: \.isProse) || rows.contains { !$0.cellNotes.isEmpty })
  }
}

extension VerdictState {
  /// The sign of the state, with its word as a text alternative.
  var signHTML: HTML {
    .element(
      "span",
      ["class": "sign", "role": "img", "aria-label": word, "title": word],
      text: sign
    )
  }
}

extension ReportTable {
  /// Returns the table in the Markdown dialect of GitHub and GitLab.
  ///
  /// If `isLinked` is `true`, cells link to headings with the same text, which the caller must write. The
  /// default is `false`.
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

  /// Returns a cell in which all characters are escaped that Markdown or HTML would interpret.
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
