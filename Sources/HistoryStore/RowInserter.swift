import PersistentHistory
import SQLiteStorage

/// Inserts the buffered rows of a batch request.
///
/// SQLite reads many of them with one statement, at half the cost of a statement for each.
final class RowInserter {
  /// The number of rows from which one statement costs less.
  private static let countMin = 4

  private let rows: UnsafeMutablePointer<RowBlock>
  private let columns: UInt64
  private let one: PreparedStatement
  private let many: PreparedStatement

  init(_ table: EntityStatements, _ connection: borrowing Connection) throws {
    rows = table.rows.block
    columns = table.columns.all
    one = try table.insert(connection)
    let name = "history_rows_\(table.number)"
    try table.rows.show(as: name, connection)
    let values = table.entity.attributes.indices.map { ", c\($0)" }.joined()
    // A failed request is rolled back as a whole: FAIL avoids a journal to undo this statement
    // alone.
    many = try PreparedStatement(
      connection,
      """
      INSERT OR FAIL INTO "\(table.entity.name)" SELECT key, ?1\(values) FROM \(name)
      """
    )
  }

  /// Inserts the buffered rows with a version, and clears the buffer.
  func flush(version: Int64) throws {
    defer { rows.pointee.removeAll() }
    guard rows.pointee.count < Self.countMin else {
      many.statement.bind(version, at: 1)
      return try many.statement.run()
    }
    for row in 0..<rows.pointee.count {
      one.statement.bind(rows.pointee.key(row), at: 1)
      one.statement.bind(version, at: 2)
      rows.pointee.bind(row, columns, to: one.statement, at: 3)
      try one.statement.run()
    }
  }
}
