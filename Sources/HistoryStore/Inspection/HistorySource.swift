import SQLiteStorage

/// The tables in which one layout keeps its history, found to be complete.
protocol HistorySource {
  /// The tables whose bytes are the history's.
  var tables: [String] { get }

  /// Counts what the tables hold, in one pass.
  func read(_ connection: borrowing Connection) throws -> HistoryCensus
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
