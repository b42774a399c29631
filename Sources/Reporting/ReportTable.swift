/// Rows and columns that every kind of output draws in its own way.
package struct ReportTable: Sendable, Hashable {
  /// One column: its title and to which side its cells lean.
  package struct Column: Sendable, Hashable {
    /// The title.
    package var title: String
    /// Numbers lean to the right.
    package var isNumeric: Bool
    /// Sentences: on a narrow screen each gets the whole width below the rest of its row.
    package var isProse = false
    /// Where the title leads; `nil` for nowhere.
    package var link: Link?

    /// Makes a column of text.
    package static func text(_ title: String, link: Link? = nil) -> Column {
      Column(title: title, isNumeric: false, link: link)
    }

    /// Makes a column of sentences.
    package static func prose(_ title: String) -> Column {
      Column(title: title, isNumeric: false, isProse: true)
    }

    /// Makes a column of numbers.
    package static func number(_ title: String) -> Column { Column(title: title, isNumeric: true) }
  }

  /// Where a cell or the title of a column leads.
  package enum Link: Sendable, Hashable {
    /// A file beside the page, by its relative path.
    case file(String)
    /// A place on the same page, by its anchor.
    case place(String)
  }

  /// One row: its cells, and whether it stands out.
  package struct Row: Sendable, Hashable {
    /// The cells, as many as there are columns.
    package var cells: [String]
    /// How the row stands out; nil for a plain one.
    package var mark: VerdictState?
    /// How single cells stand out, by their column.
    package var cellMarks: [Int: VerdictState] = [:]
    /// Where single cells lead, by their column.
    package var cellLinks: [Int: Link] = [:]
    /// Sentences below the text of single cells on a page, by their column.
    package var cellNotes: [Int: String] = [:]
    /// The name by which a link leads to this row.
    package var anchor: String?

    /// Makes a row.
    package init(_ cells: [String], mark: VerdictState? = nil, anchor: String? = nil) {
      self.cells = cells
      self.mark = mark
      self.anchor = anchor
    }
  }

  /// As many columns as a table may have.
  package static let mostColumns = 16
  /// The most rows that a page shows without being asked.
  static let shownRowCountMax = 100

  /// What the table shows, in a few words.
  package var caption: String
  /// The columns.
  package var columns: [Column]
  /// The rows.
  package private(set) var rows: [Row] = []

  /// Makes a table without rows.
  package init(caption: String = "", columns: [Column]) {
    precondition(columns.count <= Self.mostColumns, "\(columns.count) columns")
    self.caption = caption
    self.columns = columns
  }

  /// Adds a row; it must have as many cells as there are columns.
  package mutating func append(_ row: Row) {
    precondition(
      row.cells.count == columns.count,
      "\(row.cells.count) cells in \(columns.count) columns"
    )
    rows.append(row)
  }

  /// Adds a plain row.
  package mutating func append(_ cells: [String]) { append(Row(cells)) }

  /// Writes the table as comma-separated values, marks left out.
  package func csv() -> String {
    var writer = CSVWriter(columns: columns.map(\.title))
    for row in rows { writer.append(row.cells) }
    return writer.text
  }
}
