import HistoryTypes

/// The storage layout of a store file's history, chosen when the file is created.
///
/// Programs cannot add layouts. Code branches on the layout once per statement, page or
/// transaction, never once per change.
public enum HistoryLayout: String, Sendable, Hashable, CaseIterable {
  /// One row per transaction, with its changes packed into one blob, or into chunks if it is large.
  case packed
  /// The tables of Core Data: one row per transaction, and one row per change.
  ///
  /// The tables are `ATRANSACTION`, `ATRANSACTIONSTRING` and `ACHANGE`. A transaction's mark (a
  /// random number, which tokens repeat) is stored in `Z_OPT`. Core Data uses this column only to
  /// update rows, and never updates rows of history. The ID of the context that wrote a transaction
  /// is part of the transaction's process string.
  case coreData
}

/// SQL for the tables and columns of a layout.
///
/// Queries over transactions are built from these properties, and so work for every layout. A
/// transaction refers to a string, such as its author, by the number in the table of strings. The
/// number of an absent string is 0, not null.
extension HistoryLayout {
  /// The SQL name of the table of transactions.
  package var transactions: String { either("history_transaction", "ATRANSACTION") }
  /// SQL for a transaction's number, which is the key of its table.
  package var number: String { either("number", "Z_PK") }
  /// SQL for a transaction's timestamp, in seconds since 2001-01-01 UTC.
  package var timestamp: String { either("timestamp", "ZTIMESTAMP") }
  /// Whether this layout has an index on timestamps.
  var indexesTimestamps: Bool { self == .coreData }
  /// SQL for a transaction's random mark, which a ``HistoryToken`` repeats; 0 if it has none.
  package var mark: String { either("mark", "ifnull(Z_OPT,0)") }
  /// SQL for the number, in the table of strings, of a transaction's author.
  package var author: String { either("author", "ifnull(ZAUTHORTS,0)") }
  /// SQL for the number, in the table of strings, of a transaction's context name.
  package var contextName: String { either("context", "ifnull(ZCONTEXTNAMETS,0)") }
  /// SQL for the number, in the table of strings, of a transaction's bundle identifier.
  package var bundle: String { either("bundle", "ifnull(ZBUNDLEIDTS,0)") }
  /// SQL for the number, in the table of strings, of a transaction's process.
  ///
  /// In `coreData`, the process string also contains the ID of the writing context.
  package var process: String { either("process", "ifnull(ZPROCESSIDTS,0)") }
  /// SQL for the ID of the context that wrote a transaction; always 0 in the layout `coreData`.
  ///
  /// In `coreData`, the ID is part of the process string instead.
  package var writer: String { either("writer", "0") }
  /// SQL for the number of changes of a transaction.
  package var count: String {
    either("count", "(SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID = ATRANSACTION.Z_PK)")
  }
  /// SQL for the bitmap of changed entities, by number modulo 64; -1 in a layout without a bitmap.
  package var entities: String { either("entities", "-1") }
  /// The SQL name of the table of changes, or of chunks of changes in the layout `packed`.
  package var changeRows: String { either("history_chunk", "ACHANGE") }
  /// The SQL name of the table of strings.
  package var strings: String { either("history_string", "ATRANSACTIONSTRING") }
  /// The SQL name of the column of ``strings`` that contains a string's number, the primary key.
  package var stringNumber: String { either("number", "Z_PK") }
  /// The SQL name of the column of ``strings`` that contains a string's text.
  package var stringText: String { either("text", "ZNAME") }

  /// The tables that only this layout has.
  package var tables: [String] {
    switch self {
    case .packed: ["history_transaction", "history_chunk", "history_string", "history_key"]
    case .coreData: ["ATRANSACTION", "ACHANGE", "ATRANSACTIONSTRING", "Z_PRIMARYKEY"]
    }
  }

  /// The columns that a scan reads of each transaction, in order.
  var transactionColumns: String {
    let names = [number, timestamp, mark, author, contextName, bundle, process, writer]
    return (names + [count, either("changes", "NULL")]).joined(separator: ", ")
  }

  private func either(_ packed: String, _ coreData: String) -> String {
    switch self {
    case .packed: packed
    case .coreData: coreData
    }
  }
}

extension HistoryLayout {
  /// Returns the statements that delete the transactions that match a condition.
  ///
  /// The first statement deletes the rows of their changes. Every matching transaction must have a
  /// number from `first` through `last`.
  package func deletions(
    where condition: String,
    from first: String = "0",
    through last: String = "\(Int64.max >> ChunkKey.bits - 1)"
  ) -> [String] {
    let matching = "SELECT \(number) FROM \(transactions) WHERE \(condition)"
    let transactions = "DELETE FROM \(transactions) WHERE \(condition)"
    return switch self {
    case .packed: [Self.deletionOfChunks(of: matching, from: first, through: last), transactions]
    case .coreData: [Self.deletionOfRows(of: matching, from: first, through: last), transactions]
    }
  }

  /// SQL that advances the key counter of an entity past a key.
  var skippedKeys: String {
    switch self {
    case .packed: "UPDATE history_key SET next = max(next, ?2 + 1) WHERE entity = ?1"
    case .coreData: "UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, ?2) WHERE Z_ENT = ?1"
    }
  }

  /// SQL that finds the first transaction whose changes do not all fit into one chunk of a purge.
  ///
  /// The query skips `?3` rows of changes of the transactions `?1` through `?2`, and returns the
  /// number of the next row's transaction. Without a next row, the result is empty.
  package var transactionBeyond: String {
    switch self {
    case .packed: Self.transactionBeyondChunks
    case .coreData: Self.transactionBeyondRows
    }
  }

  /// The maximum number of change rows in one chunk of a purge, unless one transaction has more.
  ///
  /// A row contains up to 32 KB of changes in the layout `packed`, and one change in `coreData`.
  package var purgeChunkRows: Int {
    switch self {
    case .packed: 256
    case .coreData: 8192
    }
  }
}

/// The numbers that Core Data assigns to the entities of its own history.
enum CoreDataEntity {
  static let change: Int64 = 16001
  static let transaction: Int64 = 16002
  static let string: Int64 = 16003
}

extension HistoryLayout {
  /// SQL that creates the tables of `coreData` except `ACHANGE`, as in files of macOS 10.15 to 26.
  private static let coreDataTables = """
    CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
    ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, \
    ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, \
    ZPROCESSID VARCHAR, ZQUERYGEN BLOB );
    CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
    ZNAME VARCHAR );
    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, \
    Z_MAX INTEGER);
    CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID);
    CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS);
    CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS);
    CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS);
    CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS);
    CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION \
    (ZAUTHOR COLLATE BINARY ASC);
    CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION \
    (ZTIMESTAMP COLLATE BINARY ASC);
    CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING \
    (ZNAME COLLATE BINARY ASC);
    INSERT INTO Z_PRIMARYKEY VALUES(16001,'CHANGE',0,0);
    INSERT INTO Z_PRIMARYKEY VALUES(16002,'TRANSACTION',0,0);
    INSERT INTO Z_PRIMARYKEY VALUES(16003,'TRANSACTIONSTRING',0,0);
    """

  /// Returns the SQL of the tables of `coreData`, with the tombstone columns that the model needs.
  static func coreDataSchema(of model: StoredModel) -> String {
    let tombstones = tombstoneColumns(tombstoneCount(of: model)).map { ", \($0) BLOB" }
    return """
      CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
      ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, \
      ZCOLUMNS BLOB\(tombstones.joined()) );
      \(coreDataTables)
      """
  }

  /// Returns the maximum number of tombstone columns that an entity of the model needs.
  ///
  /// If the attributes of an entity are unknown, the result is at least 6, the greatest count in
  /// any known Core Data file.
  static func tombstoneCount(of model: StoredModel) -> Int {
    let isKnown = model.entities.allSatisfy { !$0.attributes.isEmpty }
    let greatest = model.entities.map(\.places.nonzeroBitCount).max() ?? 0
    return isKnown ? greatest : max(6, greatest)
  }

  /// Returns the names of the first `count` tombstone columns.
  static func tombstoneColumns(_ count: Int) -> [String] {
    (0..<count).map { "ZTOMBSTONE\($0)" }
  }

  static func deletionOfRows(
    of transactions: String,
    from first: String,
    through last: String
  ) -> String {
    """
    DELETE FROM ACHANGE WHERE ZTRANSACTIONID >= \(first) AND ZTRANSACTIONID <= \(last)
    AND ZTRANSACTIONID IN (\(transactions))
    """
  }

  static let transactionBeyondRows = """
    SELECT ZTRANSACTIONID FROM ACHANGE WHERE ZTRANSACTIONID >= ?1 AND ZTRANSACTIONID <= ?2
    ORDER BY ZTRANSACTIONID LIMIT 1 OFFSET ?3
    """
}
