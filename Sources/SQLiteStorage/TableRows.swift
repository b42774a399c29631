import CSQLite

/// Program-defined rows for SQL, in the order of their key columns.
///
/// The first column is an integer.
package protocol TableRows: AnyObject {
  /// Moves to the position before the first row whose number is in a range.
  func start(in numbers: ClosedRange<Int64>) throws
  /// Advances to the next row, and returns `false` if there is none.
  func next() throws -> Bool
  /// Sets an SQL result to the value of a column of the current row.
  func give(_ column: Int32, to answer: ColumnAnswer)
}

/// The description of an SQL table that is not stored in a file.
package struct TableDescription: Sendable {
  /// The name of the table in SQL.
  package let name: String
  /// The columns in SQL syntax, such as `number INTEGER`.
  package let columns: [String]
  /// The number of leading columns that identify a row and determine the order of the rows.
  package let keyCount: Int

  /// Creates the description of a table.
  package init(name: String, columns: [String], keyCount: Int) {
    self.name = name
    self.columns = columns
    self.keyCount = keyCount
  }

  /// The declaration for SQLite.
  ///
  /// Rows are identified by their key columns, so that a query can recognize a row that it reads
  /// twice (https://sqlite.org/vtab.html#_without_rowid_virtual_tables_).
  var declaration: String {
    let key = columns.prefix(keyCount).map { $0.prefix { $0 != " " } }.joined(separator: ", ")
    let list = columns.joined(separator: ", ")
    return "CREATE TABLE t(\(list), PRIMARY KEY(\(key))) WITHOUT ROWID"
  }
}

/// The destination of an SQL result; if no value is set, the result is null.
package struct ColumnAnswer {
  private let context: OpaquePointer

  init(_ context: OpaquePointer) { self.context = context }

  /// Sets the result to an integer.
  package func set(_ value: Int64) { sqlite3_result_int64(context, value) }

  /// Sets the result to a double.
  package func set(_ value: Double) { sqlite3_result_double(context, value) }

  /// Sets the result to text without a copy; it must stay valid until the statement advances.
  func set(borrowedText bytes: UnsafeRawBufferPointer) {
    let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    sqlite3_result_text64(context, text, UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
  }

  /// Sets the result to bytes without a copy; they must stay valid until the statement advances.
  func set(borrowed bytes: UnsafeRawBufferPointer) {
    sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), nil)
  }

  /// Sets the result to a copy of a text, or to null if it is `nil`.
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
