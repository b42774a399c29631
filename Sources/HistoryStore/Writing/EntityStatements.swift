import HistoryTypes
import SQLiteStorage

/// The statements of one entity's table, prepared on first use.
///
/// The attributes are those of the program's model. The table and its columns have the names that
/// the file records, which stay the same when an entity or attribute is renamed.
final class EntityStatements {
  let entity: Entity
  let number: Int32
  /// Whether the program's model has the entity.
  let isDeclared: Bool
  let tableName: String
  /// The names of the columns, in the order of the program's attributes.
  let columnNames: [String]
  /// The mapping between the program's column bitmaps and the file's, or `nil` if they are equal.
  let mapping: ColumnMapping?
  /// A bitmap of the attributes that a delete preserves, by attribute number in the file.
  private(set) var preserved: UInt64
  /// The columns that a delete preserves, as SQL: `, "Item"."a"`.
  private(set) var preservedList: String
  /// The attributes that a write includes only if the program set them, as bits.
  ///
  /// A newer program widened their types, so this program may have read null instead of a value.
  private(set) var widened: UInt64 = 0
  /// The attributes that the file requires to have a value, as bits.
  private(set) var required: UInt64 = 0
  /// The file's uniqueness constraints whose attributes are all in the program's model.
  private(set) var constraints: [UniquenessConstraint] = []
  /// The attributes with a default value other than null, as bits.
  let defaults: UInt64
  let types: [AttributeType]
  /// For each type of attribute, a bit mask of the entity's attributes of that type.
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
  private var lastUpdate: (columns: UInt64, row: PreparedStatement)?
  private var rowUpdaters: [UInt64: RowUpdater] = [:]
  private var lastUpdater: RowUpdater?
  private var editUpdaters: [UInt64: EditUpdater] = [:]
  private var lastEditUpdater: EditUpdater?
  private var lastColumns: (names: [String], bits: UInt64)?
  private var rowInserter: RowInserter?
  private var showsValues = false
  private static let updateCountMax = 64

  init(_ entity: Entity, _ stored: StoredEntity, number: Int32) {
    self.entity = entity
    self.number = number
    isDeclared = entity.isDeclared
    tableName = stored.table
    let numbers = entity.numbers.isEmpty ? Array(entity.attributes.indices) : entity.numbers
    columnNames = numbers.map { stored.attributes[$0].column }
    mapping = ColumnMapping(entity)
    (preserved, preservedList) = (stored.preserved, stored.preservedList)
    widened = Self.widened(entity, in: stored)
    required = Self.required(entity, in: stored)
    constraints = UniquenessConstraint.all(of: entity, in: stored)
    defaults = entity.attributes.enumerated().reduce(0) { bits, item in
      item.element.defaultValue == .null ? bits : bits | 1 << UInt64(item.offset)
    }
    types = entity.attributes.map(\.type)
    columns = TypeColumns(entity)
    rows = RowTable(types.map(\.kind))
  }

  /// Adopts the description of the entity that a newer program wrote to the file.
  func adopt(_ stored: StoredEntity) {
    widened = Self.widened(entity, in: stored)
    required = Self.required(entity, in: stored)
    constraints = UniquenessConstraint.all(of: entity, in: stored)
    guard preserved != stored.preserved else { return }
    (preserved, preservedList) = (stored.preserved, stored.preservedList)
    tombstoneRow = nil
    keyDeleter = nil
  }

  private static func required(_ entity: Entity, in stored: StoredEntity) -> UInt64 {
    let required = ColumnMapping(entity)?.indices(of: stored.required) ?? stored.required
    return required & TypeColumns(entity).all
  }

  /// Throws if the attribute at `index`, for which an object has no value, is required.
  ///
  /// - Throws: ``HistoryError/Code/missingValue``.
  func checkOptional(_ index: Int, _ key: Int64?) throws(HistoryError) {
    guard required >> UInt64(index) & 1 == 1 else { return }
    throw .missingValue(
      key.map { ObjectID(entity: number, key: $0) },
      entity: entity.name,
      attribute: entity.attributes[index].name
    )
  }

  /// Throws if one of the values that a batch update sets is null and its attribute is required.
  ///
  /// - Throws: ``HistoryError/Code/missingValue``.
  func checkOptional(_ columns: UInt64, _ values: [Value]) throws(HistoryError) {
    guard required & columns != 0 else { return }
    let set = types.indices.filter { columns >> UInt64($0) & 1 == 1 }
    for (index, value) in zip(set, values) where value == .null { try checkOptional(index, nil) }
  }

  private static func widened(_ entity: Entity, in stored: StoredEntity) -> UInt64 {
    entity.attributes.enumerated().reduce(0) { bits, item in
      let number = entity.numbers.isEmpty ? item.offset : entity.numbers[item.offset]
      let isEqual = stored.attributes[number].attribute.type == item.element.type
      return isEqual ? bits : bits | 1 << UInt64(item.offset)
    }
  }

  /// Converts a column bitmap of the program's model to one of the file.
  @inline(__always)
  func numbers(of columns: UInt64) -> UInt64 {
    mapping?.numbers(of: columns) ?? columns
  }

  /// Returns the statement that inserts a row: `_key, _version`, then every attribute in order.
  func insert(_ connection: borrowing Connection) throws -> PreparedStatement {
    if let insertRow { return insertRow }
    let places = (1...entity.attributes.count + 2).map { "?\($0)" }.joined(separator: ",")
    let made = try PreparedStatement(
      connection,
      "INSERT INTO \"\(tableName)\"(_key, _version\(columnList)) VALUES(\(places))"
    )
    insertRow = made
    return made
  }

  /// Returns the statement that selects the version and every attribute of the row with a key.
  func select(_ connection: borrowing Connection) throws -> PreparedStatement {
    if let selectRow { return selectRow }
    let made = try PreparedStatement(
      connection,
      "SELECT _version\(qualifiedList) FROM \"\(tableName)\" WHERE _key = ?1"
    )
    selectRow = made
    return made
  }

  /// Returns the statement that reads the rows whose keys are in the SQL table `history_keys`.
  ///
  /// A ``RowReader`` fills the table. In the order of the keys, the statement passes the key, the
  /// version and every attribute of each row to the reader's SQL function `history_row`.
  func selectShown(_ connection: borrowing Connection) throws -> PreparedStatement {
    if let selectShownRows { return selectShownRows }
    let made = try PreparedStatement(
      connection,
      """
      SELECT history_row(_key, _version\(qualifiedList)) FROM history_keys
      CROSS JOIN "\(tableName)" WHERE _key = history_keys.key
      """
    )
    selectShownRows = made
    return made
  }

  /// Returns the statement that selects the version and the preserved attributes of a row by key.
  func tombstone(_ connection: borrowing Connection) throws -> PreparedStatement {
    if let tombstoneRow { return tombstoneRow }
    let made = try PreparedStatement(
      connection,
      "SELECT _version\(preservedList) FROM \"\(tableName)\" WHERE _key = ?1"
    )
    tombstoneRow = made
    return made
  }

  /// Returns the statement that deletes the row with a key.
  func delete(_ connection: borrowing Connection) throws -> PreparedStatement {
    if let deleteRow { return deleteRow }
    let made = try PreparedStatement(
      connection,
      "DELETE FROM \"\(tableName)\" WHERE _key = ?1"
    )
    deleteRow = made
    return made
  }

  /// Returns the object that deletes rows by key; a ``RowCollector`` records these deletes.
  func deleter(_ connection: borrowing Connection) throws -> KeyDeleter {
    if let keyDeleter { return keyDeleter }
    let made = try KeyDeleter(tableName, preserved: preservedList, connection)
    keyDeleter = made
    return made
  }

  /// Returns the statement that updates the attributes whose bits are set in `columns`.
  ///
  /// `?1` is the key, and `?2` is the new version. `?3` is the version that the row must have, or
  /// null for any version. The values follow in the entity's order.
  func update(_ columns: UInt64, _ connection: borrowing Connection) throws -> PreparedStatement {
    // The edits of a save usually set the same attributes.
    if let lastUpdate, lastUpdate.columns == columns { return lastUpdate.row }
    if let known = updates[columns] {
      lastUpdate = (columns, known)
      return known
    }
    if updates.count >= Self.updateCountMax { updates.removeAll() }
    let sets = columnNames(in: columns).enumerated().map { ", \"\($1)\" = ?\($0 + 4)" }
    let made = try PreparedStatement(
      connection,
      """
      UPDATE "\(tableName)" SET _version = ?2\(sets.joined())
      WHERE _key = ?1 AND (?3 IS NULL OR _version = ?3)
      """
    )
    updates[columns] = made
    lastUpdate = (columns, made)
    return made
  }

  /// Returns an inserter for the rows of a batch request.
  func inserter(_ connection: borrowing Connection) throws -> RowInserter {
    if let rowInserter { return rowInserter }
    let made = try RowInserter(self, connection)
    rowInserter = made
    return made
  }

  /// Returns the bitmap of the named attributes; the bitmap of the last request's names is cached.
  ///
  /// - Throws: ``HistoryError/Code/unknownAttribute``.
  func columns(of names: [String]) throws(HistoryError) -> UInt64 {
    if let lastColumns, lastColumns.names == names { return lastColumns.bits }
    let bits = try entity.columns(names)
    lastColumns = (names, bits)
    return bits
  }

  /// Returns the updater that sets attributes (`columns`) from a batch request's buffered rows.
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

  /// Returns the updater that sets attributes (`columns`) from a save's buffered rows.
  func editUpdater(
    _ columns: UInt64,
    _ connection: borrowing Connection
  ) throws -> EditUpdater {
    if let lastEditUpdater, lastEditUpdater.columns == columns { return lastEditUpdater }
    let updater = try knownEditUpdater(columns, connection)
    lastEditUpdater = updater
    return updater
  }

  private func knownEditUpdater(
    _ columns: UInt64,
    _ connection: borrowing Connection
  ) throws -> EditUpdater {
    if let known = editUpdaters[columns] { return known }
    if editUpdaters.count >= Self.updateCountMax { editUpdaters.removeAll() }
    let made = try EditUpdater(self, columns, values: values(connection), connection)
    editUpdaters[columns] = made
    return made
  }

  /// Returns the name of the SQL function that returns a buffered row's value by key and column.
  ///
  /// The first call registers the function.
  private func values(_ connection: borrowing Connection) throws -> String {
    let name = "history_values_\(number)"
    if !showsValues { try rows.showValues(as: name, connection) }
    showsValues = true
    return name
  }

  /// The names of all columns as SQL: `, "a", "b"`.
  var columnList: String { columnNames.map { ", \"\($0)\"" }.joined() }

  /// The names of all columns, each qualified by the table's name, as SQL: `, "Item"."a", "Item"."b"`.
  ///
  /// If a column no longer exists, SQLite reads its quoted name as text, unless the name is qualified
  /// (https://sqlite.org/quirks.html#dblquote).
  var qualifiedList: String { columnNames.map { ", \(qualified($0))" }.joined() }

  /// Returns the name of a column, qualified by the table's name, as SQL.
  func qualified(_ column: String) -> String { "\"\(tableName)\".\"\(column)\"" }

  /// Returns the names of the columns whose bits are set in `columns`, in order.
  func columnNames(in columns: UInt64) -> [String] {
    columnNames.indices.filter { columns >> UInt64($0) & 1 == 1 }.map { columnNames[$0] }
  }

  /// Returns the column of an attribute as SQL.
  ///
  /// - Throws: ``HistoryError/Code/unknownAttribute``.
  func column(of attribute: String) throws(HistoryError) -> String {
    guard let index = entity.index(of: attribute) else {
      throw .unknownAttribute(attribute, of: entity)
    }
    return qualified(columnNames[index])
  }
}

extension StoredEntity {
  /// The columns that a delete preserves, as SQL: `, "Item"."a"`.
  fileprivate var preservedList: String {
    attributes.indices.filter { preserved >> UInt64($0) & 1 == 1 }
      .map { ", \"\(table)\".\"\(attributes[$0].column)\"" }.joined()
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
