/// Rows and columns that every kind of output draws in its own way.
package struct ReportTable: Sendable, Hashable {
  /// One column: its title and to which side its cells lean.
  package struct Column: Sendable, Hashable {
    /// The title.
    package var title: String
    /// Numbers lean to the right.
    package var isNumeric: Bool

    /// Makes a column of text.
    package static func text(_ title: String) -> Column { Column(title: title, isNumeric: false) }

    /// Makes a column of numbers.
    package static func number(_ title: String) -> Column { Column(title: title, isNumeric: true) }
  }

  /// One row: its cells, and whether it stands out.
  package struct Row: Sendable, Hashable {
    /// The cells, as many as there are columns.
    package var cells: [String]
    /// How the row stands out; nil for a plain one.
    package var mark: VerdictState?
    /// How single cells stand out, by their column.
    package var cellMarks: [Int: VerdictState] = [:]
    /// Paths beside the page to which single cells lead, by their column.
    package var cellLinks: [Int: String] = [:]
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
