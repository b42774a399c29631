import PersistentHistory
import SQLiteStorage

/// The statements over rows of changes, which depend on the number of tombstone columns.
struct CoreDataStatements {
  /// The number of tombstone columns in the table of changes.
  let tombstoneCount: Int
  /// The position at which the first tombstone is bound.
  static let firstTombstonePlace: Int32 = 7
  /// Inserts a change: key, type, entity, object, transaction, columns, tombstones.
  let insertChange: String
  /// The number of rows of changes in one batch of a scan.
  static let batchCount: Int64 = 1024
  /// Selects a transaction's changes after an offset: entity, object, type, columns, tombstones.
  let changes: String

  init(tombstoneCount: Int) {
    self.tombstoneCount = tombstoneCount
    let names = HistoryLayout.tombstoneColumns(tombstoneCount).map { ", \($0)" }.joined()
    let places = (0..<tombstoneCount).map { ", ?\($0 + 7)" }.joined()
    insertChange = """
      INSERT INTO ACHANGE(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, \
      ZCOLUMNS\(names)) VALUES(?1, \(CoreDataEntity.change), ?2, ?3, ?4, ?5, ?6\(places))
      """
    changes = """
      SELECT ZENTITY, ZENTITYPK, ZCHANGETYPE, ZCOLUMNS\(names) FROM ACHANGE
      WHERE ZTRANSACTIONID = ?1 ORDER BY Z_PK LIMIT -1 OFFSET ?2
      """
  }
}
