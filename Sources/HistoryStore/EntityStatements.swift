import PersistentHistory
import SQLiteStorage

/// The statements of one entity's table, prepared when first used.
final class EntityStatements {
  let entity: Entity
  /// The types of the attributes, in order.
  let types: [AttributeType]
  private var insertRow: PreparedStatement?
  private var selectRow: PreparedStatement?
  private var selectShownRows: PreparedStatement?
  private var deleteRow: PreparedStatement?
  private var deleteCollected: PreparedStatement?
  private var tombstoneRow: PreparedStatement?
  private var updates: [UInt64: PreparedStatement] = [:]
  private var batchUpdates: [UInt64: PreparedStatement] = [:]
  private static let updateCountMax = 64

  init(_ entity: Entity) {
    self.entity = entity
    types = entity.attributes.map(\.type)
  }

  /// `_key, _version`, then every attribute, in order.
  func insert(_ connection: borrowing Connection) throws -> PreparedStatement {
    if let insertRow { return insertRow }
    let places = (1...entity.attributes.count + 2).map { "?\($0)" }.joined(separator: ",")
    let made = try PreparedStatement(
      connection,
      "INSERT INTO \"\(entity.name)\" VALUES(\(places))"
    )
    insertRow = made
    return made
  }

  /// The version and every attribute of the row with a key.
  func select(_ connection: borrowing Connection) throws -> PreparedStatement {
    if let selectRow { return selectRow }
    let made = try PreparedStatement(
      connection,
      "SELECT _version\(columnList) FROM \"\(entity.name)\" WHERE _key = ?1"
    )
    selectRow = made
    return made
  }

  /// Hands the key, the version and every attribute of the rows whose keys a ``RowReader`` shows to
  /// it, in the order of the keys.
  func selectShown(_ connection: borrowing Connection) throws -> PreparedStatement {
    if let selectShownRows { return selectShownRows }
    let made = try PreparedStatement(
      connection,
      """
      SELECT history_row(_key, _version\(columnList)) FROM history_keys
      CROSS JOIN "\(entity.name)" WHERE _key = history_keys.key
      """
    )
    selectShownRows = made
    return made
  }

  /// The version and the preserved attributes of the row with a key.
  func tombstone(_ connection: borrowing Connection) throws -> PreparedStatement {
    if let tombstoneRow { return tombstoneRow }
    let made = try PreparedStatement(
      connection,
      "SELECT _version\(preservedList) FROM \"\(entity.name)\" WHERE _key = ?1"
    )
    tombstoneRow = made
    return made
  }

  /// Deletes the row with a key.
  func delete(_ connection: borrowing Connection) throws -> PreparedStatement {
    if let deleteRow { return deleteRow }
    let made = try PreparedStatement(
      connection,
      "DELETE FROM \"\(entity.name)\" WHERE _key = ?1"
    )
    deleteRow = made
    return made
  }

  /// Deletes the row with a key, which a ``RowCollector`` packs: SQLite goes to the row by its key
  /// before it can call a function with the row's values.
  func deleteCollecting(_ connection: borrowing Connection) throws -> PreparedStatement {
    if let deleteCollected { return deleteCollected }
    let made = try PreparedStatement(
      connection,
      """
      DELETE FROM "\(entity.name)" WHERE _key = ?1 AND history_delete(_key\(preservedList))
      """
    )
    deleteCollected = made
    return made
  }

  /// Sets some attributes: `?1` is the key, `?2` the new version, `?3` the version that the row must
  /// have or null, then the values in the entity's order.
  func update(_ columns: UInt64, _ connection: borrowing Connection) throws -> PreparedStatement {
    if let known = updates[columns] { return known }
    if updates.count >= Self.updateCountMax { updates.removeAll() }
    let sets = entity.names(in: columns).enumerated().map { ", \"\($1)\" = ?\($0 + 4)" }
    let made = try PreparedStatement(
      connection,
      """
      UPDATE "\(entity.name)" SET _version = ?2\(sets.joined())
      WHERE _key = ?1 AND (?3 IS NULL OR _version = ?3)
      """
    )
    updates[columns] = made
    return made
  }

  /// Sets some attributes of a row that does not have the new version yet, or of any row when `?3` is
  /// null: `?1` is the key, `?2` the new version, `?4` the value of the entity's first attribute.
  func batchUpdate(
    _ columns: UInt64,
    _ connection: borrowing Connection
  ) throws -> PreparedStatement {
    if let known = batchUpdates[columns] { return known }
    if batchUpdates.count >= Self.updateCountMax { batchUpdates.removeAll() }
    let sets = entity.attributes.indices.filter { columns >> UInt64($0) & 1 == 1 }
      .map { ", \"\(entity.attributes[$0].name)\" = ?\($0 + 4)" }
    let made = try PreparedStatement(
      connection,
      """
      UPDATE "\(entity.name)" SET _version = ?2\(sets.joined())
      WHERE _key = ?1 AND (?3 IS NULL OR _version <> ?2)
      """
    )
    batchUpdates[columns] = made
    return made
  }

  /// `, "a", "b"` for every attribute.
  var columnList: String {
    entity.attributes.map { ", \"\($0.name)\"" }.joined()
  }

  /// `, "a"` for every attribute that a delete preserves.
  var preservedList: String {
    entity.names(in: entity.preserved).map { ", \"\($0)\"" }.joined()
  }
}
