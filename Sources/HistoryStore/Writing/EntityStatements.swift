import HistoryTypes
import SQLiteStorage

/// The statements of one entity's table, prepared on first use.
final class EntityStatements {
  let entity: Entity
  let number: Int32
  let types: [AttributeType]
  /// The attributes of each type, as bits.
  let columns: TypeColumns
  /// The buffered rows of a batch request, which are written together.
  let rows: RowTable
  private var insertRow: PreparedStatement?
  private var selectRow: PreparedStatement?
  private var selectShownRows: PreparedStatement?
  private var deleteRow: PreparedStatement?
  private var keyDeleter: KeyDeleter?
  private var tombstoneRow: PreparedStatement?
  private var updates: [UInt64: PreparedStatement] = [:]
  private var rowUpdaters: [UInt64: RowUpdater] = [:]
  private var lastUpdater: RowUpdater?
  private var lastColumns: (names: [String], bits: UInt64)?
  private var rowInserter: RowInserter?
  private var showsValues = false
  private static let updateCountMax = 64

  init(_ entity: Entity, number: Int32) {
    self.entity = entity
    self.number = number
    types = entity.attributes.map(\.type)
    columns = TypeColumns(entity)
    rows = RowTable(types.map(\.kind))
  }

  /// Inserts a row: `_key, _version`, then every attribute in order.
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

  /// Selects the version and every attribute of the row with a key.
  func select(_ connection: borrowing Connection) throws -> PreparedStatement {
    if let selectRow { return selectRow }
    let made = try PreparedStatement(
      connection,
      "SELECT _version\(columnList) FROM \"\(entity.name)\" WHERE _key = ?1"
    )
    selectRow = made
    return made
  }

  /// Passes the rows with the keys of a ``RowReader`` to the function of that reader.
  ///
  /// Each call receives the key, the version and every attribute, in the order of the keys.
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

  /// Selects the version and the preserved attributes of the row with a key.
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

  /// Deletes rows by their keys, which a ``RowCollector`` packs.
  func deleter(_ connection: borrowing Connection) throws -> KeyDeleter {
    if let keyDeleter { return keyDeleter }
    let made = try KeyDeleter(entity, preserved: preservedList, connection)
    keyDeleter = made
    return made
  }

  /// Sets some attributes of a row.
  ///
  /// `?1` is the key, `?2` the new version, `?3` the version that the row must have or null; the
  /// values follow in the entity's order.
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

  /// Inserts the rows of a batch request.
  func inserter(_ connection: borrowing Connection) throws -> RowInserter {
    if let rowInserter { return rowInserter }
    let made = try RowInserter(self, connection)
    rowInserter = made
    return made
  }

  /// Returns the bitmap of the attributes with some names, cached for the last request's names.
  ///
  /// - Throws: ``HistoryError/Code/unknownAttribute``.
  func columns(of names: [String]) throws(HistoryError) -> UInt64 {
    if let lastColumns, lastColumns.names == names { return lastColumns.bits }
    let bits = try entity.columns(names)
    lastColumns = (names, bits)
    return bits
  }

  /// Updates some attributes from the rows of a batch request.
  func updater(
    _ columns: UInt64,
    _ collector: RowCollector,
    _ connection: borrowing Connection
  ) throws -> RowUpdater {
    if let lastUpdater, lastUpdater.columns == columns { return lastUpdater }
    let updater = try knownUpdater(columns, collector, connection)
    lastUpdater = updater
    return updater
  }

  private func knownUpdater(
    _ columns: UInt64,
    _ collector: RowCollector,
    _ connection: borrowing Connection
  ) throws -> RowUpdater {
    if let known = rowUpdaters[columns] { return known }
    if rowUpdaters.count >= Self.updateCountMax { rowUpdaters.removeAll() }
    let function = try values(connection)
    let made = try RowUpdater(self, columns, values: function, collector, connection)
    rowUpdaters[columns] = made
    return made
  }

  /// Returns the name of the SQL function that returns the values of a batch request's rows.
  private func values(_ connection: borrowing Connection) throws -> String {
    let name = "history_values_\(number)"
    if !showsValues { try rows.showValues(as: name, connection) }
    showsValues = true
    return name
  }

  /// The names of all attributes as SQL: `, "a", "b"`.
  var columnList: String {
    entity.attributes.map { ", \"\($0.name)\"" }.joined()
  }

  /// The names of the attributes that a delete preserves, as SQL: `, "a"`.
  var preservedList: String {
    entity.names(in: entity.preserved).map { ", \"\($0)\"" }.joined()
  }
}

extension AttributeType {
  /// The in-memory representation of values of the type before they are written.
  fileprivate var kind: RowBlock.Kind {
    switch self {
    case .int, .bool: .integer
    case .double, .date: .real
    case .string: .text
    case .data, .uuid: .blob
    }
  }
}
