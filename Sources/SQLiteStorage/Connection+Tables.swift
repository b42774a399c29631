import CSQLite

extension Connection {
  /// Lets a closure read a table that a program fills (https://sqlite.org/vtab.html); each query that
  /// names the table makes rows of its own.
  ///
  /// A query that compares the first column with `=`, `<`, `<=`, `>` or `>=` reads no more than that,
  /// and one that wants the rows in their order does not sort them. Statements that read the table must
  /// not leave the closure.
  ///
  /// - Throws: what the closure throws, or in its place what the rows threw.
  package borrowing func withTable<Result>(
    _ table: TableDescription,
    rows: @escaping () -> any TableRows,
    _ body: () throws -> Result
  ) throws -> Result {
    let module = TableModule(table, rows)
    // SQLite releases the module when the table is taken away, and when this call fails.
    let code = sqlite3_create_module_v2(
      handle,
      table.name,
      tableCallbacks,
      Unmanaged.passRetained(module).toOpaque(),
      { module in if let module { Unmanaged<TableModule>.fromOpaque(module).release() } }
    )
    guard code == SQLITE_OK else { throw SQLiteError(handle, code: code, sql: table.name) }
    defer { sqlite3_create_module_v2(handle, table.name, nil, nil, nil) }
    // SQLite declares the table when it is first named, which reading alone would not allow.
    _ = try Statement(self, "SELECT 1 FROM \(table.name)")
    do {
      return try body()
    } catch {
      throw module.failure ?? error
    }
  }
}

/// What SQLite holds for a table.
final class TableModule {
  let declaration: String
  let keyCount: Int
  let rows: () -> any TableRows
  /// What the rows threw.
  var failure: (any Error)?

  init(_ table: TableDescription, _ rows: @escaping () -> any TableRows) {
    declaration = table.declaration
    keyCount = table.keyCount
    self.rows = rows
  }
}
