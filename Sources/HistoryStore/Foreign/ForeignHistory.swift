import HistoryTypes
import SQLiteStorage

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
