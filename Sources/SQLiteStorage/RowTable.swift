import CSQLite

/// A block of rows exposed to the SQL of one connection, as a table and as a function.
package final class RowTable {
  /// The rows, which must not change while a statement reads them.
  package let block: UnsafeMutablePointer<RowBlock>
  private let table: MemoryTable

  /// Creates an empty block for rows with the given columns, not exposed to a connection yet.
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

  /// Registers a function that returns the value of a row in a column.
  ///
  /// Its arguments are the row's key and the column's number; it returns null if there is no such
  /// row. Each statement must request the keys in ascending order.
  ///
  /// - Throws: ``SQLiteError`` if memory runs out.
  package func showValues(
    as name: String,
    _ connection: borrowing Connection
  ) throws(SQLiteError) {
    // SQLite releases the table when the connection is closed, and if this call fails.
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
