import CSQLite

/// Rows that a program makes and SQL reads, in the order of their first columns, the very first of
/// which is a whole number.
package protocol TableRows: AnyObject {
  /// Goes before the first row whose number lies in a range.
  func start(in numbers: ClosedRange<Int64>) throws
  /// Goes to the next row, or answers that there is none.
  func next() throws -> Bool
  /// Gives SQL the value that the row has in a column.
  func give(_ column: Int32, to answer: ColumnAnswer)
}

/// A table that SQL reads and no file holds.
package struct TableDescription: Sendable {
  /// The name that SQL calls it by.
  package let name: String
  /// The columns as SQL declares them: `number INTEGER`.
  package let columns: [String]
  /// How many of the first columns tell one row from every other, and give their order.
  package let keyCount: Int

  /// Describes a table.
  package init(name: String, columns: [String], keyCount: Int) {
    self.name = name
    self.columns = columns
    self.keyCount = keyCount
  }

  /// The declaration that SQLite is given; rows go by their key, so that a query may meet one twice
  /// and still know it (https://sqlite.org/vtab.html#_without_rowid_virtual_tables_).
  var declaration: String {
    let key = columns.prefix(keyCount).map { $0.prefix { $0 != " " } }.joined(separator: ", ")
    let list = columns.joined(separator: ", ")
    return "CREATE TABLE t(\(list), PRIMARY KEY(\(key))) WITHOUT ROWID"
  }
}

/// Where a value for SQL goes; one is given, or none for null.
package struct ColumnAnswer {
  private let context: OpaquePointer

  init(_ context: OpaquePointer) { self.context = context }

  /// Answers with an integer.
  package func set(_ value: Int64) { sqlite3_result_int64(context, value) }

  /// Answers with a double.
  package func set(_ value: Double) { sqlite3_result_double(context, value) }

  /// Answers with text that stays where it is until the statement goes to the next row.
  func set(borrowedText bytes: UnsafeRawBufferPointer) {
    let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    sqlite3_result_text64(context, text, UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
  }

  /// Answers with bytes that stay where they are until the statement goes to the next row.
  func set(borrowed bytes: UnsafeRawBufferPointer) {
    sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), nil)
  }

  /// Answers with a copy of a text, or with null.
  package func set(_ text: String?) {
    guard var text else { return sqlite3_result_null(context) }
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        let start = $0.baseAddress ?? emptyText
        sqlite3_result_text64(context, start, UInt64($0.count), copied, UInt8(SQLITE_UTF8))
      }
    }
  }
}
