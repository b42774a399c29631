import CSQLite

extension Connection {
  /// Runs a closure with a virtual table whose rows are produced by the program.
  ///
  /// Each query of the table creates its own rows. A query that compares the first column with `=`,
  /// `<`, `<=`, `>` or `>=` reads only the matching range, and a query in the order of the rows
  /// does not sort them. Statements that read the table must not escape the closure
  /// (https://sqlite.org/vtab.html).
  ///
  /// - Throws: The error of the rows if they threw, otherwise the error of the closure.
  package borrowing func withTable<Result>(
    _ table: TableDescription,
    rows: @escaping () -> any TableRows,
    _ body: () throws -> Result
  ) throws -> Result {
    let module = TableModule(table, rows)
    // SQLite releases the module when the table is removed, and if this call fails.
    let code = sqlite3_create_module_v2(
      handle,
      table.name,
      tableCallbacks,
      Unmanaged.passRetained(module).toOpaque(),
      { module in if let module { Unmanaged<TableModule>.fromOpaque(module).release() } }
    )
    guard code == SQLITE_OK else { throw SQLiteError(handle, code: code, sql: table.name) }
    defer { sqlite3_create_module_v2(handle, table.name, nil, nil, nil) }
    // SQLite declares the table at its first use, which a read-only statement would not be allowed
    // to do.
    _ = try Statement(self, "SELECT 1 FROM \(table.name)")
    do {
      return try body()
    } catch {
      throw module.failure ?? error
    }
  }
}

/// The context object that SQLite retains for a table.
final class TableModule {
  let declaration: String
  let keyCount: Int
  let rows: () -> any TableRows
  /// The error that the rows threw.
  var failure: (any Error)?

  init(_ table: TableDescription, _ rows: @escaping () -> any TableRows) {
    declaration = table.declaration
    keyCount = table.keyCount
    self.rows = rows
  }
}
