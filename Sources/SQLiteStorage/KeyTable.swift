/// An array of integers that the SQL of one connection sees as the rows of a table with one column,
/// `key`, in the order of the array (https://sqlite.org/vtab.html).
///
/// Joining with it visits the rows of another table by their keys in one statement: a third less
/// than a statement a key.
package final class KeyTable {
  private let table: MemoryTable

  /// Gives a connection a table; it has no rows but while ``show(_:to:)`` runs.
  ///
  /// - Throws: ``SQLiteError`` when memory runs out.
  package init(_ name: String, _ connection: borrowing Connection) throws(SQLiteError) {
    table = MemoryTable(stride: MemoryLayout<Int64>.stride)
    try connection.setTable(name, table)
  }

  /// Lets a closure run statements that see some keys.
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
