import HistoryTypes
import SQLiteStorage

/// The history of a file that Core Data wrote: `ATRANSACTION`, `ACHANGE` and the strings of both.
///
/// The oldest files have no table of strings: their transactions contain the authors themselves.
struct CoreDataHistory: HistorySource {
  private static let transactionTable = "ATRANSACTION"
  private static let changeTable = "ACHANGE"
  private static let stringTable = "ATRANSACTIONSTRING"

  let tables = [transactionTable, changeTable, stringTable]
  let layout = HistoryLayout.coreData
  let authorColumns: Set<String>
  let hasStrings: Bool
  let hasEntityNames: Bool
  /// The columns of the values that deleted objects left behind.
  private let tombstones: [String]
  /// Whether the file is a store of this library, which records how far it was purged.
  let keepsPurges: Bool

  init(_ file: FileTables, _ connection: borrowing Connection, path: String) throws {
    let missing = file.missing(of: tables)
    guard missing.count < tables.count else {
      throw InspectionError.foreignFile(path: path, tables: file.names)
    }
    func check(_ table: String, _ columns: [String]) throws -> Set<String> {
      guard !missing.contains(table) else {
        throw InspectionError.missingTables(path: path, tables: missing)
      }
      let found = try FileTables.columns(of: table, connection)
      let lacking = columns.filter { !found.contains($0) }
      guard lacking.isEmpty else {
        throw InspectionError.missingColumns(path: path, table: table, columns: lacking)
      }
      return found
    }
    authorColumns = try check(Self.transactionTable, ["Z_PK", "ZTIMESTAMP"])
      .intersection(["ZAUTHORTS", "ZAUTHOR"])
    let columns = try check(Self.changeTable, ["ZTRANSACTIONID", "ZENTITY", "ZCHANGETYPE"])
    tombstones = (0..<64).map { "ZTOMBSTONE\($0)" }.filter(columns.contains)
    hasStrings = authorColumns.contains("ZAUTHORTS")
    if hasStrings { _ = try check(Self.stringTable, ["Z_PK", "ZNAME"]) }
    keepsPurges = file.names.contains("history_author")
    hasEntityNames = try FileTables.columns(of: "Z_PRIMARYKEY", connection)
      .isSuperset(of: ["Z_ENT", "Z_NAME"])
  }

  /// Reads transactions and changes in parallel, both in the order of the transaction's key.
  ///
  /// An index provides the order of the changes.
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

  /// In a file of Core Data, all tables with Core Data's name prefixes count as known.
  func compare(
    _ file: FileTables,
    _ connection: borrowing Connection
  ) throws -> (unknown: [String], missing: [String]) {
    if keepsPurges {
      let own = try ownTables(connection)
      return (file.unknown(beside: own), file.missing(of: own))
    }
    let unknown = file.unknown(beside: tables).filter { name in
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

  /// A query that returns no name for any number.
  var noName: String { "SELECT NULL WHERE ?1 IS NULL" }
}

/// A cursor over the changes in the order of their transactions.
private struct ChangeCursor: ~Copyable {
  private let rows: Statement
  /// The transaction of the next row, or `nil` at the end.
  private var next: Int64?

  /// Opens the cursor; without names of columns, no tombstone is found.
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

  /// Counts the changes through a transaction, and returns the number of those that belong to it.
  ///
  /// The others belong to no transaction and are counted as orphans.
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
  /// Changes before them belong to no transaction and are counted as orphans.
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

  /// SQLite sorts null before all numbers, and text and blobs after them.
  private static func step(_ rows: borrowing Statement) throws -> Int64? {
    guard try rows.step() else { return nil }
    return switch rows.storage(0) {
    case .integer: rows.int(0)
    case .null: .min
    case .real, .text, .blob: .max
    }
  }
}

/// The tables of a file, according to its schema.
struct FileTables {
  /// The names, in the order in which the tables were created.
  let names: [String]
  /// The indexes of each table, including those that SQLite creates itself.
  let indexes: [String: [String]]

  init(_ connection: borrowing Connection) throws {
    let query = try Statement(
      connection,
      "SELECT type, name, tbl_name FROM sqlite_master WHERE type IN ('table', 'index')"
    )
    var names: [String] = []
    var indexes: [String: [String]] = [:]
    while try query.step() {
      guard let name = query.text(1), let table = query.text(2) else { continue }
      if query.text(0) == "table" {
        names.append(name)
      } else {
        indexes[table, default: []].append(name)
      }
    }
    self.names = names
    self.indexes = indexes
  }

  /// Returns the given tables that the file lacks.
  func missing(of wanted: [String]) -> [String] { wanted.filter { !names.contains($0) } }

  /// Returns the tables that are neither among the given ones nor SQLite's own.
  func unknown(beside known: [String]) -> [String] {
    names.filter { !known.contains($0) && !$0.hasPrefix("sqlite_") }
  }

  /// Returns the names of a table's columns.
  static func columns(
    of table: String,
    _ connection: borrowing Connection
  ) throws -> Set<String> {
    let query = try Statement(connection, "SELECT name FROM pragma_table_info(?1)")
    query.bind(table, at: 1)
    var columns: Set<String> = []
    while try query.step() {
      if let name = query.text(0) { columns.insert(name) }
    }
    return columns
  }
}

/// The properties that a store needs of a file that Core Data wrote, and the tables that it lacks.
enum ForeignHistory {
  /// The lowest number of Core Data's own entities.
  private static let ownEntityMin: Int64 = 16000

  /// Throws for a file without the tables and columns of a history.
  static func check(_ connection: borrowing Connection, path: String) throws {
    let tables = try FileTables(connection)
    _ = try CoreDataHistory(tables, connection, path: path)
    let needed = [
      "ATRANSACTION": [
        "Z_OPT", "ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS",
      ],
      "ACHANGE": ["Z_PK", "ZENTITYPK", "ZCOLUMNS"], "ATRANSACTIONSTRING": ["Z_PK", "ZNAME"],
    ]
    for (table, columns) in needed.sorted(by: { $0.key < $1.key }) {
      let found = try FileTables.columns(of: table, connection)
      let lacking = columns.filter { !found.contains($0) }
      guard lacking.isEmpty else {
        throw InspectionError.missingColumns(path: path, table: table, columns: lacking)
      }
    }
  }

  /// Returns a model of the entities that the file names, without attributes.
  ///
  /// An entity without a name is named after its number.
  static func model(_ connection: borrowing Connection) throws -> Model {
    let columns = try FileTables.columns(of: "Z_PRIMARYKEY", connection)
    guard columns.isSuperset(of: ["Z_ENT", "Z_NAME"]) else {
      let greatest = try connection.integer("SELECT max(ZENTITY) FROM ACHANGE") ?? 0
      let count = Int(min(max(greatest, 1), ownEntityMin))
      return Model(unchecked: (1...count).map(unnamed))
    }
    let query = try Statement(
      connection,
      "SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT > 0 AND Z_ENT < ?1 ORDER BY Z_ENT"
    )
    query.bind(ownEntityMin, at: 1)
    var entities: [Entity] = []
    while try query.step() {
      while Int64(entities.count) < query.int(0) - 1 {
        entities.append(unnamed(entities.count + 1))
      }
      entities.append(query.text(1).map { Entity($0, []) } ?? unnamed(entities.count + 1))
    }
    return Model(unchecked: entities)
  }

  private static func unnamed(_ number: Int) -> Entity { Entity("Entity\(number)", []) }

  /// Returns the number of tombstone columns in the table of changes.
  static func tombstoneCount(_ connection: borrowing Connection) throws -> Int {
    let columns = try FileTables.columns(of: "ACHANGE", connection)
    return (0..<64).prefix { columns.contains("ZTOMBSTONE\($0)") }.count
  }

  /// Returns the file's store ID, or one derived from its path.
  static func id(_ connection: borrowing Connection, realPath: String) throws -> StoreID {
    if try FileTables.columns(of: "Z_METADATA", connection).contains("Z_UUID"),
      let id = try connection.text("SELECT Z_UUID FROM Z_METADATA").flatMap({ StoreID($0) })
    {
      return id
    }
    // FNV-1a, once for each half.
    func hash(_ seed: UInt64) -> UInt64 {
      realPath.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
    var halves = (hash(0xcbf2_9ce4_8422_2325), hash(0x9e37_79b9_7f4a_7c15))
    return StoreID(withUnsafeBytes(of: &halves) { UUID(bytes: $0) })
  }

  /// SQL that creates the tables only stores of this library have, as temporary tables in memory.
  ///
  /// They contain no member, and history counts as purged below the first transaction in the file.
  static let tables = """
    CREATE TEMP TABLE history_metadata(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
    INSERT INTO history_metadata SELECT 'numbered', max(
      ifnull((SELECT max(Z_PK) FROM ATRANSACTION), 0), 0);
    INSERT INTO history_metadata SELECT 'purged', ifnull(
      (SELECT min(Z_PK) - 1 FROM ATRANSACTION), 0);
    INSERT INTO history_metadata SELECT 'deleted', value FROM history_metadata
      WHERE name = 'purged';
    CREATE TEMP TABLE history_author(string INTEGER PRIMARY KEY, purged INTEGER NOT NULL);
    INSERT INTO history_author SELECT author, value FROM history_metadata,
      (SELECT 0 AS author UNION SELECT ZAUTHORTS FROM ATRANSACTION WHERE ZAUTHORTS > 0)
      WHERE name = 'purged';
    CREATE TEMP TABLE history_thinned(author INTEGER PRIMARY KEY, through INTEGER NOT NULL);
    CREATE TEMP TABLE history_member(
      id TEXT PRIMARY KEY, epoch INTEGER NOT NULL, kind INTEGER NOT NULL, state INTEGER NOT NULL,
      cursor INTEGER NOT NULL, mark INTEGER NOT NULL, registered INTEGER NOT NULL,
      seen REAL NOT NULL, author TEXT, process TEXT, configuration TEXT) WITHOUT ROWID;
    """
}

extension FileHeader {
  /// Reads the header of a file opened for reading, of this library or of Core Data.
  init(reading connection: borrowing Connection, path: String, realPath: String) throws {
    if try connection.integer("PRAGMA application_id") == Schema.applicationID {
      try Self.check(connection, path: path)
      try self.init(connection, path: path, model: nil)
      return
    }
    try ForeignHistory.check(connection, path: path)
    try connection.execute(ForeignHistory.tables)
    self.init(
      id: try ForeignHistory.id(connection, realPath: realPath),
      model: try ForeignHistory.model(connection),
      timestamps: .wallClock,
      layout: .coreData,
      tombstoneCount: try ForeignHistory.tombstoneCount(connection),
      isForeign: true
    )
  }
}
