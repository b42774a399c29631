import PersistentHistory
import SQLiteStorage

/// The tables in which one layout keeps its history, which were found complete.
protocol HistorySource {
  /// The tables whose size counts as the history's.
  var tables: [String] { get }
  /// The layout, which names the tables and columns.
  var layout: HistoryLayout { get }

  /// Counts the contents of the tables in one pass, and the effect of a purge if one is requested.
  func read(_ connection: borrowing Connection, _ purge: PurgeCounter?) throws -> CensusBuilder
  /// Finishes a census with the names that the file assigns to numbers.
  func finish(_ builder: CensusBuilder, _ connection: borrowing Connection) throws -> HistoryCensus
  /// Returns the tables of the file that are foreign to its kind, and those of its kind it lacks.
  func compare(
    _ file: FileTables,
    _ connection: borrowing Connection
  ) throws -> (unknown: [String], missing: [String])
}

extension HistorySource {
  /// Returns the number and timestamp of the newest transaction; 0 and `nil` when there is none.
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

  /// Returns the numbers of the strings for which a closure returns `true`.
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

  /// Returns the model that a store of this library contains, or `nil`.
  func model(_ connection: borrowing Connection) throws -> Model? {
    try connection.text("SELECT value FROM history_metadata WHERE name = 'model'")
      .flatMap(Model.init(signature:))
  }

  /// Returns the tables of a store of this library, those of its objects last.
  func ownTables(_ connection: borrowing Connection) throws -> [String] {
    let common = ["history_metadata", "history_author", "history_thinned", "history_member"]
    return try common + layout.tables + (model(connection)?.entities.map(\.name) ?? [])
  }
}

extension FileTables {
  /// Returns the history that the file contains.
  ///
  /// - Throws: ``InspectionError`` that names the missing parts.
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
