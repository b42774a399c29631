import HistoryStore
import HistoryTypes
import SQLiteStorage

/// The history of a file with Core Data's tables: `ATRANSACTION`, `ACHANGE` and a table of strings.
///
/// Core Data wrote the file, or the file is a store of this library with the layout `coreData`. The
/// oldest files have no table of strings: their transactions contain the author names.
struct CoreDataHistory: HistorySource {
  let tables = ForeignHistory.historyTables
  let layout = HistoryLayout.coreData
  let authorColumns: Set<String>
  let hasStrings: Bool
  let hasEntityNames: Bool
  /// The columns of `ACHANGE` that contain preserved values of deleted objects.
  private let tombstones: [String]
  /// Whether the file is a store of this library, which records how far each author is purged.
  let keepsPurges: Bool

  init(_ file: FileTables, _ connection: borrowing Connection, path: String) throws {
    let columns = try ForeignHistory.readableColumns(file, connection, path: path)
    authorColumns = columns.transactions.intersection(["ZAUTHORTS", "ZAUTHOR"])
    tombstones = (0..<64).map { "ZTOMBSTONE\($0)" }.filter(columns.changes.contains)
    hasStrings = authorColumns.contains("ZAUTHORTS")
    keepsPurges = file.names.contains("history_author")
    hasEntityNames = try FileTables.columns(of: "Z_PRIMARYKEY", connection)
      .isSuperset(of: ["Z_ENT", "Z_NAME"])
  }

  /// Reads transactions and changes with two statements that advance side by side.
  ///
  /// Both return rows in the order of transaction numbers. For the changes, an index provides that
  /// order.
  func read(_ connection: borrowing Connection, _ purge: PurgeCounter?) throws -> CensusBuilder {
    var builder = CensusBuilder(layout: .coreData, purge: purge)
    let rows = try Statement(
      connection,
      """
      SELECT Z_PK, ZTIMESTAMP, \(column("ZAUTHORTS")), \(column("ZAUTHOR"))
      FROM ATRANSACTION ORDER BY Z_PK
      """
    )
    var changes = try ChangeCursor(connection, tombstones: purge == nil ? [] : tombstones)
    let purged = keepsPurges ? try PackedHistory.purgedByAuthor(connection) : [:]
    while try rows.step() {
      guard rows.int(0) > purged[rows.int(2)] ?? 0 else {
        try changes.skip(through: rows.int(0), into: &builder)
        builder.addPurgedTransaction()
        continue
      }
      let timestamp = rows.time(1)
      let author = author(rows)
      builder.begin(rows.int(0), timestamp: timestamp, author: author)
      let count = try changes.count(through: rows.int(0), into: &builder)
      builder.addTransaction(
        timestamp: timestamp,
        author: author,
        changeCount: count,
        RowWeight(transaction: 1, changes: Double(count))
      )
    }
    try changes.countRest(into: &builder)
    return builder
  }

  /// Returns the unexpected tables of the file, and the expected tables that are missing.
  ///
  /// In a file of Core Data, every table whose name starts with `Z` or `ANSCK` is expected.
  func compare(
    _ file: FileTables,
    _ connection: borrowing Connection
  ) throws -> (unknown: [String], missing: [String]) {
    if keepsPurges {
      let own = try ownTables(connection)
      return (file.unknown(comparedWith: own), file.missing(of: own))
    }
    let unknown = file.unknown(comparedWith: tables).filter { name in
      !name.hasPrefix("Z") && !name.hasPrefix("ANSCK")
    }
    return (unknown, file.missing(of: tables + ["Z_PRIMARYKEY", "Z_METADATA"]))
  }

  func column(_ name: String) -> String { authorColumns.contains(name) ? name : "NULL" }

  func author(_ row: borrowing Statement) -> CensusBuilder.AuthorKey {
    if row.storage(2) == .integer { return .string(row.int(2)) }
    return row.text(3).map { .text($0) } ?? .absent
  }

  func finish(
    _ builder: CensusBuilder,
    _ connection: borrowing Connection
  ) throws -> HistoryCensus {
    let strings = hasStrings ? "SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = ?1" : noName
    let entities = hasEntityNames ? "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT = ?1" : noName
    let stringNames = try Statement(connection, strings)
    let entityNames = try Statement(connection, entities)
    let count =
      hasStrings ? try connection.integer("SELECT count(*) FROM ATRANSACTIONSTRING") ?? 0 : 0
    return try builder.finish(
      strings: Int(count),
      author: { try stringNames.text(for: $0) },
      entity: { try entityNames.text(for: $0) }
    )
  }

  /// A substitute for the query of a name by its number (`?1`), for files without a table of names.
  ///
  /// The query returns no row.
  var noName: String { "SELECT NULL WHERE ?1 IS NULL" }
}

/// A cursor over the changes in the order of their transactions.
private struct ChangeCursor: ~Copyable {
  private let rows: Statement
  /// The transaction of the next row, or `nil` at the end.
  private var next: Int64?

  /// Opens the cursor; if `tombstones` is empty, every change counts as one without a tombstone.
  init(_ connection: borrowing Connection, tombstones: [String]) throws {
    let hasTombstone =
      tombstones.isEmpty
      ? "0" : tombstones.map { "\($0) IS NOT NULL" }.joined(separator: " OR ")
    let rows = try Statement(
      connection,
      """
      SELECT ZTRANSACTIONID, ZENTITY, ZCHANGETYPE, ZCHANGETYPE = 2 AND (\(hasTombstone))
      FROM ACHANGE ORDER BY ZTRANSACTIONID
      """
    )
    let next = try Self.step(rows)
    self.rows = rows
    self.next = next
  }

  /// Counts the changes of a transaction, and returns their number.
  ///
  /// Changes that precede those of the transaction belong to no transaction and count as orphans.
  mutating func count(through transaction: Int64, into builder: inout CensusBuilder) throws -> Int {
    var own = 0
    while let next, next <= transaction {
      if next == transaction {
        builder.addChange(entity: number(1), type: number(2), hasTombstone: rows.int(3) == 1)
        own += 1
      } else {
        builder.addOrphan(entity: number(1), type: number(2))
      }
      self.next = try Self.step(rows)
    }
    return own
  }

  /// Skips the changes of a purged transaction.
  ///
  /// Changes that precede those of the transaction belong to no transaction and count as orphans.
  mutating func skip(through transaction: Int64, into builder: inout CensusBuilder) throws {
    while let next, next <= transaction {
      if next < transaction { builder.addOrphan(entity: number(1), type: number(2)) }
      self.next = try Self.step(rows)
    }
  }

  /// Counts the changes after the last transaction as orphans.
  mutating func countRest(into builder: inout CensusBuilder) throws {
    while next != nil {
      builder.addOrphan(entity: number(1), type: number(2))
      next = try Self.step(rows)
    }
  }

  private func number(_ column: Int32) -> Int64? {
    rows.storage(column) == .integer ? rows.int(column) : nil
  }

  /// Advances to the next row, and returns its transaction number or `nil` at the end.
  ///
  /// SQLite sorts null first, and text and blobs last. So that the returned numbers ascend, null is
  /// returned as the lowest number, and any other value that is not an integer as the highest.
  private static func step(_ rows: borrowing Statement) throws -> Int64? {
    guard try rows.step() else { return nil }
    return switch rows.storage(0) {
    case .integer: rows.int(0)
    case .null: .min
    case .real, .text, .blob: .max
    }
  }
}
