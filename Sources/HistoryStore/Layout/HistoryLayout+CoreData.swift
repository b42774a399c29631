import PersistentHistory

/// The numbers that Core Data assigns to the entities of its own history.
enum CoreDataEntity {
  static let change: Int64 = 16001
  static let transaction: Int64 = 16002
  static let string: Int64 = 16003
}

extension HistoryLayout {
  /// The tables of `coreData` except `ACHANGE`, as in every file of macOS 10.15 to 26.
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
  static func coreDataSchema(of model: Model) -> String {
    let tombstones = tombstoneColumns(tombstoneCount(of: model)).map { ", \($0) BLOB" }
    return """
      CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
      ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, \
      ZCOLUMNS BLOB\(tombstones.joined()) );
      \(coreDataTables)
      """
  }

  /// Returns the maximum number of values that an entity of the model preserves.
  ///
  /// At least 6 when the attributes of an entity are unknown, the maximum of all known files.
  static func tombstoneCount(of model: Model) -> Int {
    let isKnown = model.entities.allSatisfy { !$0.attributes.isEmpty }
    let greatest = model.entities.map(\.preserved.nonzeroBitCount).max() ?? 0
    return isKnown ? greatest : max(6, greatest)
  }

  /// Returns the names of the first tombstone columns.
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
