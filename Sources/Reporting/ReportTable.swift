/// A table of rows and columns, rendered differently by each kind of output.
package struct ReportTable: Sendable, Hashable {
  /// One column: its title and its alignment.
  package struct Column: Sendable, Hashable {
    /// The title.
    package var title: String
    /// Whether the column contains numbers, which are right-aligned.
    package var isNumeric: Bool
    /// Whether the column contains sentences, which get a line of their own on a narrow screen.
    package var isProse = false
    /// The link of the title, or `nil` for none.
    package var link: Link?

    /// Creates a column of text.
    package static func text(_ title: String, link: Link? = nil) -> Column {
      Column(title: title, isNumeric: false, link: link)
    }

    /// Creates a column of sentences.
    package static func prose(_ title: String) -> Column {
      Column(title: title, isNumeric: false, isProse: true)
    }

    /// Creates a column of numbers.
    package static func number(_ title: String) -> Column { Column(title: title, isNumeric: true) }
  }

  /// The target of a link from a cell or a column's title.
  package enum Link: Sendable, Hashable {
    /// A file in the page's folder, by its relative path.
    case file(String)
    /// A place on the same page, by its anchor.
    case place(String)
  }

  /// One row: its cells and marks.
  package struct Row: Sendable, Hashable {
    /// The cells, as many as there are columns.
    package var cells: [String]
    /// The mark of the row, or `nil` for none.
    package var mark: VerdictState?
    /// The marks of single cells, by column.
    package var cellMarks: [Int: VerdictState] = [:]
    /// The links of single cells, by column.
    package var cellLinks: [Int: Link] = [:]
    /// Sentences below the text of single cells on a page, by column.
    package var cellNotes: [Int: String] = [:]
    /// The anchor of the row for links.
    package var anchor: String?

    /// Creates a row.
    package init(_ cells: [String], mark: VerdictState? = nil, anchor: String? = nil) {
      self.cells = cells
      self.mark = mark
      self.anchor = anchor
    }
  }

  /// The maximum number of columns of a table.
  package static let mostColumns = 16
  /// The maximum number of rows that a page shows without a click.
  static let shownRowCountMax = 100

  /// The subject of the table, in a few words.
  package var caption: String
  /// The columns.
  package var columns: [Column]
  /// The rows.
  package private(set) var rows: [Row] = []

  /// Creates a table without rows, of at most 16 columns.
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

  /// Appends a row without marks.
  package mutating func append(_ cells: [String]) { append(Row(cells)) }

  /// Returns the table as comma-separated values, without marks.
  package func csv() -> String {
    var writer = CSVWriter(columns: columns.map(\.title))
    for row in rows { writer.append(row.cells) }
    return writer.text
  }
}
