import SQLiteStorage

/// A connection of the benchmark's own beside a contender's: it looks, and restores what a
/// measurement has changed, while no watch runs.
final class SideConnection {
  private let connection: Connection

  init(path: String) throws(SQLiteError) {
    var options = ConnectionOptions()
    options.access = .readWrite
    connection = try Connection(path: path, options)
  }

  /// Copies the write-ahead log into the file, so that every measurement begins with an empty one.
  func checkpoint() throws(SQLiteError) { try connection.checkpoint() }

  /// Runs some SQL.
  func execute(_ sql: String) throws(SQLiteError) { try connection.execute(sql) }

  /// The integer that a query answers with, 0 for null.
  func integer(_ sql: String) throws(SQLiteError) -> Int64 { try connection.integer(sql) ?? 0 }

  /// The rows of an entity, and the sum of their quantities.
  func tally(of entity: String) throws(SQLiteError) -> WorkTally {
    WorkTally(
      count: try integer("SELECT count(*) FROM \"\(entity)\""),
      sum: try integer("SELECT sum(quantity) FROM \"\(entity)\"")
    )
  }

  /// The number of the newest transaction.
  func head() throws(SQLiteError) -> Int64 {
    try integer("SELECT max(number) FROM history_transaction")
  }

  /// The mark of a transaction, 0 when it is gone.
  func mark(of number: Int64) throws(SQLiteError) -> Int64 {
    try integer("SELECT mark FROM history_transaction WHERE number = \(number)")
  }

  /// Writes the newest transactions once more behind themselves.
  func repeatNewest(_ count: Int) throws(SQLiteError) {
    try connection.execute(
      """
      INSERT INTO history_transaction
      SELECT number + \(count), timestamp + \(count) * 1e-6, mark, author, context, bundle, process,
        writer, count, entities, changes
      FROM history_transaction WHERE number > \(try head() - Int64(count)) ORDER BY number
      """
    )
  }
}
