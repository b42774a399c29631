import HistoryStore
import SQLiteStorage

/// A connection of the benchmark's own beside a contender's: it looks, and restores what a
/// measurement has changed, while no watch runs.
final class SideConnection {
  private let connection: Connection
  /// How the file keeps its history.
  private let layout: HistoryLayout

  init(path: String, layout: HistoryLayout = .packed) throws(SQLiteError) {
    self.layout = layout
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
    try integer("SELECT max(\(layout.number)) FROM \(layout.transactions)")
  }

  /// The number of the oldest transaction.
  func firstNumber() throws(SQLiteError) -> Int64 {
    try integer("SELECT min(\(layout.number)) FROM \(layout.transactions)")
  }

  /// The mark of a transaction, 0 when it is gone.
  func mark(of number: Int64) throws(SQLiteError) -> Int64 {
    try integer(
      "SELECT \(layout.mark) FROM \(layout.transactions) WHERE \(layout.number) = \(number)"
    )
  }

  /// Writes the newest transactions once more behind themselves.
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

  /// The times go on behind the newest, as the numbers do: published cleaners go by them.
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
