import SQLiteStorage

/// The prepared statements of a connection.
struct StatementCache {
  private let layout: HistoryLayout
  /// The statements by the raw value of ``StoreStatement``; `nil` until first use.
  private var prepared: [PreparedStatement?]
  /// The statements whose SQL depends on the model or a filter, by their SQL.
  private var queries: [String: PreparedStatement] = [:]
  private var knownCollector: RowCollector?
  private var knownRowReader: RowReader?
  private var knownExpectedVersions: ExpectedVersions?
  /// The statement of the last history scan with a filter or a start time, and the scan's shape.
  ///
  /// Scans with equal shapes have the same SQL.
  private var lastScan: (shape: HistoryScan.Shape, statement: PreparedStatement)?
  /// The author and other names that the last inserted transaction left bound to its statement.
  var boundNames: TransactionNames?
  private static let queryCountMax = 64

  init(_ layout: HistoryLayout) {
    self.layout = layout
    prepared = Array(repeating: nil, count: StoreStatement.allCases.count)
  }

  mutating func statement(
    _ kind: StoreStatement,
    _ connection: borrowing Connection
  ) throws -> PreparedStatement {
    if let known = prepared[kind.rawValue] { return known }
    let made = try PreparedStatement(connection, kind.sql(layout))
    prepared[kind.rawValue] = made
    return made
  }

  mutating func query(
    _ sql: String,
    _ connection: borrowing Connection
  ) throws -> PreparedStatement {
    if let known = queries[sql] { return known }
    if queries.count >= Self.queryCountMax { queries.removeAll() }
    let made = try PreparedStatement(connection, sql)
    queries[sql] = made
    return made
  }

  /// Returns the statement of a history scan with a filter or a start time.
  ///
  /// If the last such scan had an equal ``HistoryScan/shape``, its statement is returned again,
  /// because the SQL is the same.
  mutating func statement(
    of scan: HistoryScan,
    _ connection: borrowing Connection
  ) throws -> PreparedStatement {
    let shape = scan.shape
    if let lastScan, lastScan.shape == shape { return lastScan.statement }
    let made = try query(scan.sql(layout), connection)
    lastScan = (shape, made)
    return made
  }

  /// Returns the connection's collector of row changes, created on first use.
  mutating func collector(_ connection: borrowing Connection) throws -> RowCollector {
    if let knownCollector { return knownCollector }
    let made = try RowCollector(connection)
    knownCollector = made
    return made
  }

  /// Returns the object that checks the row versions of consecutive updates, created on first use.
  mutating func expectedVersions(_ connection: borrowing Connection) throws -> ExpectedVersions {
    if let knownExpectedVersions { return knownExpectedVersions }
    let made = try ExpectedVersions(connection)
    knownExpectedVersions = made
    return made
  }

  /// Returns the reader of rows by their keys, created on first use.
  mutating func rowReader(_ connection: borrowing Connection) throws -> RowReader {
    if let knownRowReader { return knownRowReader }
    let made = try RowReader(connection)
    knownRowReader = made
    return made
  }
}

/// A class around a noncopyable `Statement`, so that arrays and several owners can store it.
final class PreparedStatement {
  let statement: Statement

  init(_ connection: borrowing Connection, _ sql: String) throws(SQLiteError) {
    statement = try Statement(connection, sql)
  }
}

/// The statements of a store that do not depend on its model.
package enum StoreStatement: Int, CaseIterable {
  case head
  case insertTransaction
  case insertChunk
  case chunks
  case page
  case mark
  case numberAtOrAfter
  case firstNumberLater
  case findString
  case insertString
  case newStrings
  case insertAuthor
  case greatestGone
  case authorsThinned
  case authorsPurged
  case firstHeld
  case member
  case watermark
  case recordCursor
  case reserveKeys
  case raiseKey

  /// Returns the SQL of the statement for a layout.
  package func sql(_ layout: HistoryLayout) -> String {
    switch self {
    case .head:
      """
      SELECT \(layout.number), \(layout.timestamp), \(layout.mark) FROM \(layout.transactions)
      ORDER BY \(layout.number) DESC LIMIT 1
      """
    case .insertTransaction:
      switch layout {
      case .packed: "INSERT INTO history_transaction VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)"
      case .coreData:
        """
        INSERT INTO ATRANSACTION(Z_PK, Z_ENT, Z_OPT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS,
          ZPROCESSIDTS, ZTIMESTAMP) VALUES(?1, \(CoreDataEntity.transaction), ?2, ?3, ?4, ?5, ?6, ?7)
        """
      }
    case .insertChunk: "INSERT INTO history_chunk VALUES(?1,?2)"
    case .chunks: "SELECT changes FROM history_chunk WHERE id >= ?1 AND id < ?2 ORDER BY id"
    case .page: HistoryScan.sql(layout)
    case .mark:
      "SELECT \(layout.mark) FROM \(layout.transactions) WHERE \(layout.number) = ?1"
    case .numberAtOrAfter:
      """
      SELECT \(layout.number), \(layout.timestamp) FROM \(layout.transactions)
      WHERE \(layout.number) >= ?1 ORDER BY \(layout.number) LIMIT 1
      """
    case .firstNumberLater:
      // Without the unary plus, SQLite would scan transactions in key order until the first match.
      """
      SELECT min(+\(layout.number)) FROM \(layout.transactions) WHERE \(layout.timestamp) > ?1
      """
    case .findString:
      "SELECT \(layout.stringNumber) FROM \(layout.strings) WHERE \(layout.stringText) = ?1"
    case .insertString:
      switch layout {
      case .packed: "INSERT INTO history_string(text) VALUES(?1)"
      case .coreData:
        "INSERT INTO ATRANSACTIONSTRING(Z_ENT, ZNAME) VALUES(\(CoreDataEntity.string), ?1)"
      }
    case .newStrings:
      """
      SELECT \(layout.stringNumber), \(layout.stringText) FROM \(layout.strings)
      WHERE \(layout.stringNumber) > ?1
      """
    case .insertAuthor: "INSERT OR IGNORE INTO history_author VALUES(?1, 0)"
    case .greatestGone:
      """
      SELECT max(max(purged), ifnull((SELECT max(through) FROM history_thinned), 0))
      FROM history_author
      """
    case .authorsThinned: "SELECT author, through FROM history_thinned"
    case .authorsPurged: "SELECT string, purged FROM history_author"
    case .firstHeld:
      """
      SELECT \(layout.number) FROM \(layout.transactions)
      JOIN history_author ON string = \(layout.author)
      WHERE \(layout.number) > ?1 AND \(layout.number) > purged ORDER BY \(layout.number) LIMIT 1
      """
    case .member:
      "SELECT epoch, state, cursor, mark, registered FROM history_member WHERE id = ?1"
    // The position that every active member has merged; null if there are no active members.
    case .watermark: "SELECT min(cursor) FROM history_member WHERE state = 0"
    case .recordCursor:
      """
      UPDATE history_member SET cursor = ?3, mark = ?4, seen = ?5
      WHERE id = ?1 AND epoch = ?2 AND state = 0 AND cursor <= ?3
      """
    case .reserveKeys:
      switch layout {
      case .packed:
        """
        UPDATE history_key SET next = next + ?2 WHERE entity = ?1 RETURNING next - ?2
        """
      case .coreData:
        "UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + ?2 WHERE Z_ENT = ?1 RETURNING Z_MAX - ?2 + 1"
      }
    case .raiseKey: "UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, ?2) WHERE Z_ENT = ?1"
    }
  }
}
