import CSQLite

/// A block of rows that the SQL of one connection sees: as a table, and value by value.
package final class RowTable {
  /// The rows, which must not change while a statement reads them.
  package let block: UnsafeMutablePointer<RowBlock>
  private let table: MemoryTable

  /// Makes room for rows with some columns, which no connection sees yet.
  package init(_ kinds: [RowBlock.Kind]) {
    block = .allocate(capacity: 1)
    block.initialize(to: RowBlock(kinds))
    table = MemoryTable(stride: block.pointee.stride, block)
  }

  /// Shows a connection the rows as a table: `key`, and `c0`, `c1` and so on.
  ///
  /// - Throws: ``SQLiteError`` when memory runs out.
  package func show(
    as name: String,
    _ connection: borrowing Connection
  ) throws(SQLiteError) {
    try connection.setTable(name, table)
  }

  /// Gives a connection a function that answers the value of a row in a column.
  ///
  /// Its arguments are the row's key and the column's number; it answers null when there is no such
  /// row. Each statement must ask for rising keys.
  ///
  /// - Throws: ``SQLiteError`` when memory runs out.
  package func showValues(
    as name: String,
    _ connection: borrowing Connection
  ) throws(SQLiteError) {
    // SQLite releases the table when the connection is closed, and when this call fails.
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
