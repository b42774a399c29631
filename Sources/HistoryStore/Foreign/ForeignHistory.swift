import HistoryTypes
package import SQLiteStorage

/// The tables of a file, according to its schema.
package struct FileTables {
  /// The names of all tables in the file, in the order of SQLite's schema table.
  package let names: [String]
  /// The indexes of each table, including those that SQLite creates itself.
  package let indexes: [String: [String]]

  package init(_ connection: borrowing Connection) throws {
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
  package func missing(of wanted: [String]) -> [String] { wanted.filter { !names.contains($0) } }

  /// Returns the tables that are neither among the given ones nor internal tables of SQLite.
  package func unknown(comparedWith known: [String]) -> [String] {
    names.filter { !known.contains($0) && !$0.hasPrefix("sqlite_") }
  }

  /// Returns the names of a table's columns.
  package static func columns(
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

/// The model, store ID and additional tables for reading a Core Data file as a store.
///
/// The tables are temporary tables of the connection; the file does not change.
package enum ForeignHistory {
  /// The lowest number of the entities that Core Data uses internally.
  private static let ownEntityMin: Int64 = 16000

  /// The tables in which Core Data keeps a history.
  package static let historyTables = ["ATRANSACTION", "ACHANGE", "ATRANSACTIONSTRING"]

  /// Returns the names of the columns of the transaction table and of the change table.
  ///
  /// - Throws: ``InspectionError`` that names the tables or columns that are missing.
  package static func readableColumns(
    _ file: FileTables,
    _ connection: borrowing Connection,
    path: String
  ) throws -> (transactions: Set<String>, changes: Set<String>) {
    let missing = file.missing(of: historyTables)
    guard missing.count < historyTables.count else {
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
    let transactions = try check("ATRANSACTION", ["Z_PK", "ZTIMESTAMP"])
    let changes = try check("ACHANGE", ["ZTRANSACTIONID", "ZENTITY", "ZCHANGETYPE"])
    // The oldest Core Data files have no table of strings: their transactions contain the author
    // names.
    if transactions.contains("ZAUTHORTS") {
      _ = try check("ATRANSACTIONSTRING", ["Z_PK", "ZNAME"])
    }
    return (transactions, changes)
  }

  /// Throws if the file lacks tables or columns that a store needs to read Core Data's history.
  static func check(_ connection: borrowing Connection, path: String) throws {
    let tables = try FileTables(connection)
    _ = try readableColumns(tables, connection, path: path)
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
  /// An entity without a name gets a name from its number, such as `Entity3`.
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

  /// Returns the store ID that Core Data wrote into the file, or an ID derived from the path.
  static func id(_ connection: borrowing Connection, realPath: String) throws -> StoreID {
    if try FileTables.columns(of: "Z_METADATA", connection).contains("Z_UUID"),
      let id = try connection.text("SELECT Z_UUID FROM Z_METADATA").flatMap({ StoreID($0) })
    {
      return id
    }
    // Each half of the UUID is an FNV-1a hash.
    func hash(_ seed: UInt64) -> UInt64 {
      realPath.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
    var halves = (hash(0xcbf2_9ce4_8422_2325), hash(0x9e37_79b9_7f4a_7c15))
    return StoreID(withUnsafeBytes(of: &halves) { UUID(bytes: $0) })
  }

  /// SQL that creates temporary tables in place of those that only stores of this library have.
  ///
  /// The temporary tables contain no member, and they declare all history before the first
  /// transaction in the file as purged.
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
  /// Reads the header of a file that is opened for reading only.
  ///
  /// The file is a store of this library or of Core Data. For a Core Data file, this initializer
  /// also creates the temporary tables of ``ForeignHistory/tables``.
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
