import HistoryTypes
import SQLiteStorage

extension StoreCore {
  /// Throws if another program has changed the tables or triggers of a file that captures or refuses.
  ///
  /// In a file that is unwatched, SQLite reports a missing table or column when a statement needs it.
  ///
  /// - Throws: ``HistoryError/Code/changedSchema``, with all that is missing.
  /// - Complexity: linear in the schema.
  func checkForeignSchema() throws {
    let handling = try FileHeader.foreignWrites(connection)
    guard handling != .unwatched, reading == nil,
      let found = try StoredModel(connection, path: path)
    else { return }
    let present = Dictionary(
      try foreignTriggers().map { ($0.name, $0.sql) },
      uniquingKeysWith: { first, _ in first }
    )
    var missing = try missingTables(of: found)
    for trigger in ForeignSchema(layout: layout, model: found).triggers(handling)
    where present[trigger.name] == nil {
      missing.append("the trigger \(trigger.name)")
    }
    guard missing.isEmpty else { throw HistoryError.changedSchema(path: path, missing) }
  }

  private func missingTables(of found: StoredModel) throws -> [String] {
    var missing: [String] = []
    for entity in found.entities where !entity.isRemoved {
      let query = try Statement(connection, "SELECT name FROM pragma_table_info(?1)")
      query.bind(entity.table, at: 1)
      var columns: Set<String> = []
      while try query.step() { columns.insert(query.text(0) ?? "") }
      guard !columns.isEmpty else {
        missing.append("the table \(entity.table)")
        continue
      }
      for attribute in entity.attributes where !attribute.isRemoved {
        guard !columns.contains(attribute.column) else { continue }
        missing.append("the column \(entity.table).\(attribute.column)")
      }
    }
    return missing
  }
}
