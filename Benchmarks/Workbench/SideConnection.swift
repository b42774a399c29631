import HistoryStore
import SQLiteStorage

/// A connection of the benchmark itself to a contender's file.
///
/// Outside the timed parts, it reads data and undoes the changes of a measurement.
final class SideConnection {
  private let connection: Connection
  /// The layout of the file's history.
  private let layout: HistoryLayout

  init(path: String, layout: HistoryLayout = .packed) throws(SQLiteError) {
    self.layout = layout
    var options = ConnectionOptions()
    options.access = .readWrite
    connection = try Connection(path: path, options)
  }

  /// Checkpoints the write-ahead log, so that every measurement starts with an empty one.
  func checkpoint() throws(SQLiteError) { try connection.checkpoint() }

  /// Executes SQL statements.
  func execute(_ sql: String) throws(SQLiteError) { try connection.execute(sql) }

  /// Returns the integer result of a query, or 0 for null.
  func integer(_ sql: String) throws(SQLiteError) -> Int64 { try connection.integer(sql) ?? 0 }

  /// Tallies the rows of an entity, and the sum of their quantities.
  func tally(of entity: String) throws(SQLiteError) -> WorkTally {
    WorkTally(
      count: try integer("SELECT count(*) FROM \"\(entity)\""),
      sum: try integer("SELECT sum(quantity) FROM \"\(entity)\"")
    )
  }

  /// Returns the number of the newest transaction.
  func head() throws(SQLiteError) -> Int64 {
    try integer("SELECT max(\(layout.number)) FROM \(layout.transactions)")
  }

  /// Returns the number of the oldest transaction.
  func firstNumber() throws(SQLiteError) -> Int64 {
    try integer("SELECT min(\(layout.number)) FROM \(layout.transactions)")
  }

  /// Returns the mark of a transaction, or 0 if it is gone.
  func mark(of number: Int64) throws(SQLiteError) -> Int64 {
    try integer(
      "SELECT \(layout.mark) FROM \(layout.transactions) WHERE \(layout.number) = \(number)"
    )
  }

  /// Appends copies of the newest transactions to the history.
  func repeatNewest(_ count: Int) throws(SQLiteError) {
    let after = try head() - Int64(count)
    switch layout {
    case .packed: try execute(Self.repeatPacked(count, after))
    case .coreData: try execute(Self.repeatCoreData(count, after))
    }
  }

  private static func repeatPacked(_ count: Int, _ after: Int64) -> String {
    """
    INSERT INTO history_transaction
    SELECT number + \(count), timestamp + \(count) * 1e-6, mark, author, context, bundle, process,
      writer, count, entities, changes
    FROM history_transaction WHERE number > \(after) ORDER BY number
    """
  }

  /// The timestamps continue after the newest one.
  ///
  /// Published cleaners depend on them.
  private static func repeatCoreData(_ count: Int, _ after: Int64) -> String {
    """
    BEGIN IMMEDIATE;
    INSERT INTO ATRANSACTION
    SELECT Z_PK + \(count), Z_ENT, Z_OPT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS,
      ZTIMESTAMP + (SELECT max(ZTIMESTAMP) FROM ATRANSACTION) + 1e-6
        - (SELECT ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK = \(after + 1)),
      ZAUTHOR, ZBUNDLEID, ZCONTEXTNAME, ZPROCESSID, ZQUERYGEN
    FROM ATRANSACTION WHERE Z_PK > \(after) ORDER BY Z_PK;
    INSERT INTO ACHANGE
    SELECT NULL, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID + \(count), ZCOLUMNS,
      ZTOMBSTONE0
    FROM ACHANGE WHERE ZTRANSACTIONID > \(after) ORDER BY Z_PK;
    COMMIT
    """
  }
}
