import PersistentHistory
import SQLiteStorage

/// The tables in which one layout keeps its history, found to be complete.
protocol HistorySource {
  /// The tables whose bytes are the history's.
  var tables: [String] { get }
  /// The layout's names of its tables and columns.
  var layout: HistoryLayout { get }

  /// Counts what the tables hold, in one pass, and what a purge would free, if that is asked.
  func read(_ connection: borrowing Connection, _ purge: PurgeCounter?) throws -> CensusBuilder
  /// Ends a census with the names that the file gives to numbers.
  func finish(_ builder: CensusBuilder, _ connection: borrowing Connection) throws -> HistoryCensus
  /// Which tables of the file are none of its kind, and which of its kind are not there.
  func compare(
    _ file: FileTables,
    _ connection: borrowing Connection
  ) throws -> (unknown: [String], missing: [String])
}

extension HistorySource {
  /// The number of the newest transaction and its time, as far as it has one; 0 without any.
  func newest(_ connection: borrowing Connection) throws -> (number: Int64, timestamp: Double?) {
    let head = try Statement(
      connection,
      """
      SELECT \(layout.number), \(layout.timestamp) FROM \(layout.transactions)
      ORDER BY \(layout.number) DESC LIMIT 1
      """
    )
    guard try head.step() else { return (0, nil) }
    let hasTime = head.storage(1) == .real || head.storage(1) == .integer
    return (head.int(0), hasTime ? head.real(1) : nil)
  }

  /// The numbers of the strings that a closure is true for.
  func strings(
    _ connection: borrowing Connection,
    where isWanted: (String) -> Bool
  ) throws -> Set<Int64> {
    let strings = try Statement(
      connection,
      "SELECT \(layout.stringNumber), \(layout.stringText) FROM \(layout.strings)"
    )
    var numbers: Set<Int64> = []
    while try strings.step() {
      if let text = strings.text(1), isWanted(text) { numbers.insert(strings.int(0)) }
    }
    return numbers
  }

  /// The model that a store of this library keeps, or nothing.
  func model(_ connection: borrowing Connection) throws -> Model? {
    try connection.text("SELECT value FROM history_metadata WHERE name = 'model'")
      .flatMap(Model.init(signature:))
  }

  /// The tables of a store of this library, those of its objects last.
  func ownTables(_ connection: borrowing Connection) throws -> [String] {
    let common = ["history_metadata", "history_author", "history_thinned", "history_member"]
    return try common + layout.tables + (model(connection)?.entities.map(\.name) ?? [])
  }
}

extension FileTables {
  /// The history that the file holds.
  ///
  /// - Throws: ``InspectionError`` that names what is missing.
  func source(
    _ connection: borrowing Connection,
    path: String
  ) throws -> any HistorySource {
    guard try connection.integer("PRAGMA application_id") == Schema.applicationID else {
      return try CoreDataHistory(self, connection, path: path)
    }
    let version = try connection.integer("PRAGMA user_version") ?? 0
    guard version <= Schema.formatVersion else {
      throw InspectionError.newerFormat(path: path, found: version, known: Schema.formatVersion)
    }
    return names.contains("ATRANSACTION")
      ? try CoreDataHistory(self, connection, path: path)
      : try PackedHistory(self, connection, path: path)
  }
}
