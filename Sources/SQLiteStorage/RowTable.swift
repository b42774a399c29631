import CSQLite

/// A block of rows exposed to the SQL of one connection, as a table and as a function.
package final class RowTable {
  /// The rows, which must not change while a statement reads them.
  package let block: UnsafeMutablePointer<RowBlock>
  private let table: MemoryTable

  /// Creates an empty block for rows with the given columns, without exposing it to a connection.
  package init(_ kinds: [RowBlock.Kind]) {
    block = .allocate(capacity: 1)
    block.initialize(to: RowBlock(kinds))
    table = MemoryTable(stride: block.pointee.stride, block)
  }

  /// Registers the rows as a table with the columns `key`, `c0`, `c1` and so on.
  ///
  /// - Throws: ``SQLiteError`` if memory runs out.
  package func show(
    as name: String,
    _ connection: borrowing Connection
  ) throws(SQLiteError) {
    try connection.setTable(name, table)
  }

  /// Registers an SQL function that returns the value of one column in the row with a key.
  ///
  /// The arguments of the function are the row's key and the column's number. The function returns
  /// null if no row has the key. Each statement must request the keys in ascending order.
  ///
  /// - Throws: ``SQLiteError`` if memory runs out.
  package func showValues(
    as name: String,
    _ connection: borrowing Connection
  ) throws(SQLiteError) {
    // SQLite releases the table when the connection is closed, and also if this call fails.
    let code = sqlite3_create_function_v2(
      connection.handle,
      name,
      2,
      SQLITE_UTF8 | SQLITE_DIRECTONLY,
      Unmanaged.passRetained(table).toOpaque(),
      answerValue,
      nil,
      nil,
      releaseMemoryTable
    )
    guard code == SQLITE_OK else {
      throw SQLiteError(connection.handle, code: code, sql: name)
    }
  }
}

private let answerValue:
  @convention(c) (
    OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
  ) -> Void = { context, _, values in
    guard let context, let values, let table = sqlite3_user_data(context) else { return }
    let rows = Unmanaged<MemoryTable>.fromOpaque(table)._withUnsafeGuaranteedRef { $0.rows }
    let key = sqlite3_value_int64(values[0])
    guard let block = rows.pointee.block, let row = block.pointee.row(withKey: key) else { return }
    let column = Int(sqlite3_value_int64(values[1]))
    block.pointee.answer(row, column: column, to: ColumnAnswer(context))
  }

/// An array of integers as an SQL table with one column, `key`, in array order.
///
/// With a join on this table, one statement reads the rows of another table by key. The join costs a
/// third less than one statement for each key (https://sqlite.org/vtab.html).
package final class KeyTable {
  private let table: MemoryTable

  /// Registers the table with a connection; the table has rows only while ``show(_:to:)`` runs.
  ///
  /// - Throws: ``SQLiteError`` if memory runs out.
  package init(_ name: String, _ connection: borrowing Connection) throws(SQLiteError) {
    table = MemoryTable(stride: MemoryLayout<Int64>.stride)
    try connection.setTable(name, table)
  }

  /// Runs a closure whose statements read the given keys as the rows of the table.
  package func show<Result>(_ keys: [Int64], to body: () throws -> Result) rethrows -> Result {
    try keys.withUnsafeBufferPointer { keys in
      table.rows.pointee.first = UnsafeRawPointer(keys.baseAddress)
      table.rows.pointee.count = keys.count
      defer {
        table.rows.pointee.first = nil
        table.rows.pointee.count = 0
      }
      return try body()
    }
  }
}

/// Rows that Swift code supplies to SQL through a virtual table, sorted by their key columns.
///
/// The first column is an integer.
package protocol TableRows: AnyObject {
  /// Moves to the position before the first row whose first column is in a range.
  func start(in numbers: ClosedRange<Int64>) throws
  /// Advances to the next row, and returns `false` if there is none.
  func next() throws -> Bool
  /// Sets an SQL result to the value of a column in the current row.
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

  package init(name: String, columns: [String], keyCount: Int) {
    self.name = name
    self.columns = columns
    self.keyCount = keyCount
  }

  /// The SQL declaration of the table.
  ///
  /// The key columns identify the rows, so that a query can recognize a row that it reads twice
  /// (https://sqlite.org/vtab.html#_without_rowid_virtual_tables_).
  var declaration: String {
    let key = columns.prefix(keyCount).map { $0.prefix { $0 != " " } }.joined(separator: ", ")
    let list = columns.joined(separator: ", ")
    return "CREATE TABLE t(\(list), PRIMARY KEY(\(key))) WITHOUT ROWID"
  }
}

/// The result that Swift code returns to SQL for one value; null unless a value is set.
package struct ColumnAnswer {
  private let context: OpaquePointer

  init(_ context: OpaquePointer) { self.context = context }

  /// Sets the result to an integer.
  package func set(_ value: Int64) { sqlite3_result_int64(context, value) }

  package func set(_ value: Double) { sqlite3_result_double(context, value) }

  /// Sets the result to borrowed text, which must stay valid until the statement advances.
  func set(borrowedText bytes: UnsafeRawBufferPointer) {
    let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    sqlite3_result_text64(context, text, UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
  }

  /// Sets the result to bytes without a copy; they must stay valid until the statement advances.
  func set(borrowed bytes: UnsafeRawBufferPointer) {
    sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), nil)
  }

  /// Sets the result to a copy of a text, or to null if the text is `nil`.
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
