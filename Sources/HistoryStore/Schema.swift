import HistoryTypes
import SQLiteStorage

/// The tables of a store file.
package enum Schema {
  /// The application ID of store files ("PHLs"), which `file` and other tools display.
  ///
  /// See https://sqlite.org/pragma.html#pragma_application_id.
  package static let applicationID: Int64 = 0x5048_4C73
  /// The greatest version of the file format that this library reads.
  package static let formatVersion: Int64 = constraintFormatVersion
  /// The file format's version for models with an index, a required attribute or a reference.
  package static let constraintFormatVersion: Int64 = 4
  /// The file format's version for files that capture or refuse writes by other programs.
  package static let foreignFormatVersion: Int64 = 3
  /// The file format's version for models with a version above 1, default values or former names.
  package static let modelFormatVersion: Int64 = 2
  /// The file format's version for models with version 1 and none of the features above.
  package static let plainFormatVersion: Int64 = 1

  /// SQL for the tables in files of every layout, except the tables of entities.
  private static let common = """
    CREATE TABLE history_metadata(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE history_author(string INTEGER PRIMARY KEY, purged INTEGER NOT NULL);
    CREATE TABLE history_thinned(author INTEGER PRIMARY KEY, through INTEGER NOT NULL);
    CREATE TABLE history_member(
      id TEXT PRIMARY KEY, epoch INTEGER NOT NULL, kind INTEGER NOT NULL, state INTEGER NOT NULL,
      cursor INTEGER NOT NULL, mark INTEGER NOT NULL, registered INTEGER NOT NULL,
      seen REAL NOT NULL, author TEXT, process TEXT, configuration TEXT) WITHOUT ROWID;
    INSERT INTO history_author VALUES(0, 0);
    """

  /// Creates every table of a model within the open transaction.
  static func create(
    _ connection: borrowing Connection,
    _ stored: StoredModel,
    id: StoreID,
    _ configuration: StoreConfiguration
  ) throws {
    try connection.execute(common)
    try connection.execute(history(of: stored, configuration.layout))
    for (offset, entity) in stored.entities.enumerated() {
      try add(entity, number: offset + 1, of: stored, connection, configuration.layout)
    }
    let insert = try Statement(connection, "INSERT INTO history_metadata VALUES(?1, ?2)")
    let metadata = [
      "store": id.description, "model": stored.text,
      "timestamps": configuration.timestamps.rawValue, "layout": configuration.layout.rawValue,
    ]
    for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
      insert.bind(name, at: 1)
      insert.bind(value, at: 2)
      try insert.run()
    }
    try connection.execute("INSERT INTO history_metadata VALUES('purged', 0)")
    try connection.execute("INSERT INTO history_metadata VALUES('deleted', 0)")
    try connection.execute("INSERT INTO history_metadata VALUES('epoch', 0)")
    try connection.execute("INSERT INTO history_metadata VALUES('numbered', 0)")
    if !stored.isPlain {
      try connection.execute(
        "INSERT INTO history_metadata VALUES('modelVersion', \(stored.version))"
      )
    }
    try connection.execute("PRAGMA application_id=\(applicationID)")
    try connection.execute("PRAGMA user_version=\(format(of: stored))")
  }

  /// Returns the lowest version of the file format that supports a model.
  static func format(of stored: StoredModel) -> Int64 {
    if stored.hasConstraints { return constraintFormatVersion }
    return stored.isPlain ? plainFormatVersion : modelFormatVersion
  }

  /// Creates the table, the indexes and the key counter of an entity.
  static func add(
    _ entity: StoredEntity,
    number: Int,
    of model: StoredModel,
    _ connection: borrowing Connection,
    _ layout: HistoryLayout
  ) throws {
    try connection.execute(table(of: entity, named: entity.table, in: model))
    try connection.execute(firstKey(of: entity, number: number, layout))
    for index in entity.allIndexes {
      try connection.execute(index.sql(of: entity, number: number))
    }
  }

  /// Replaces the table of an entity by a copy with the entity's current columns.
  ///
  /// The copy gets the indexes and triggers that other programs created for the table, but not the
  /// indexes of the model. Views of other programs still refer to the table afterwards.
  static func copy(
    _ entity: StoredEntity,
    of model: StoredModel,
    _ connection: borrowing Connection
  ) throws {
    let made = "history_copy"
    let columns = entity.attributes.filter { !$0.isRemoved }.map { ", \"\($0.column)\"" }.joined()
    try connection.execute(table(of: entity, named: made, in: model))
    try connection.execute(
      """
      INSERT INTO \(made)(_key, _version\(columns))
      SELECT _key, _version\(columns) FROM "\(entity.table)" ORDER BY _key
      """
    )
    let others = try foreignSchema(of: entity, connection)
    try connection.execute("DROP TABLE \"\(entity.table)\"")
    // Without this setting, the rename would change the references of other tables and of views.
    connection.setKeepsReferences(true)
    defer { connection.setKeepsReferences(false) }
    try connection.execute("ALTER TABLE \(made) RENAME TO \"\(entity.table)\"")
    for sql in others { try connection.execute(sql) }
  }

  /// Returns the SQL of the indexes and triggers that other programs added to an entity's table.
  private static func foreignSchema(
    of entity: StoredEntity,
    _ connection: borrowing Connection
  ) throws -> [String] {
    let query = try Statement(
      connection,
      """
      SELECT sql FROM sqlite_schema WHERE tbl_name = ?1 AND type IN ('index', 'trigger')
      AND sql IS NOT NULL AND name NOT GLOB 'history_*'
      """
    )
    query.bind(entity.table, at: 1)
    var found: [String] = []
    while try query.step() { if let sql = query.text(0) { found.append(sql) } }
    return found
  }

  /// Adds the column of an attribute to the table of an entity, with the attribute's default value.
  ///
  /// A required attribute without a default value is added as an optional one, because existing rows
  /// have null.
  ///
  /// The rows of the table are not rewritten (https://sqlite.org/lang_altertable.html).
  static func add(
    _ attribute: StoredAttribute,
    to entity: StoredEntity,
    of model: StoredModel,
    _ connection: borrowing Connection
  ) throws {
    let hasValue = attribute.attribute.defaultValue != .null
    let isRequired = hasValue && !attribute.attribute.isOptional
    let column = column(of: attribute, isRequired: isRequired, in: model)
    try connection.execute("ALTER TABLE \"\(entity.table)\" ADD COLUMN\(column)")
  }

  private static func history(of model: StoredModel, _ layout: HistoryLayout) -> String {
    switch layout {
    case .packed: HistoryLayout.packedSchema
    case .coreData: HistoryLayout.coreDataSchema(of: model)
    }
  }

  private static func firstKey(
    of entity: StoredEntity,
    number: Int,
    _ layout: HistoryLayout
  ) -> String {
    switch layout {
    case .packed: "INSERT INTO history_key VALUES(\(number), 1)"
    case .coreData: "INSERT INTO Z_PRIMARYKEY VALUES(\(number), '\(entity.name)', 0, 0)"
    }
  }

  private static func table(
    of entity: StoredEntity,
    named name: String,
    in model: StoredModel
  ) -> String {
    let columns = entity.attributes.filter { !$0.isRemoved }
      .map { "," + column(of: $0, isRequired: !$0.attribute.isOptional, in: model) }
    return """
      CREATE TABLE "\(name)"(
        _key INTEGER PRIMARY KEY, _version INTEGER NOT NULL DEFAULT 0\(columns.joined()))
      """
  }

  private static func column(
    of stored: StoredAttribute,
    isRequired: Bool,
    in model: StoredModel
  ) -> String {
    let value = stored.attribute.defaultValue
    let given = value == .null ? "" : " DEFAULT \(value.literal)"
    let required = isRequired ? " NOT NULL" : ""
    let key = stored.attribute.reference.flatMap(model.table).map {
      " REFERENCES \"\($0)\"(_key) DEFERRABLE INITIALLY DEFERRED"
    }
    let type = stored.attribute.type.declaration
    return " \"\(stored.column)\" \(type)\(required)\(given)\(key ?? "")"
  }
}

extension Value {
  /// The value as a literal in SQL.
  fileprivate var literal: String {
    switch self {
    case .null: "NULL"
    case .int(let value): String(value)
    case .double(let value): "\(value)"
    case .string(let value):
      "'"
        + value.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "''") + "'"
    case .data(let value): "x'\(Value.hexadecimal(value))'"
    case .date(let value): "\(value.timeIntervalSinceReferenceDate)"
    case .bool(let value): value ? "1" : "0"
    case .uuid(let value):
      "x'\(withUnsafeBytes(of: value.uuid) { Value.hexadecimal($0) })'"
    }
  }
}

extension AttributeType {
  /// The column's declared type, which sets its affinity (https://sqlite.org/datatype3.html).
  fileprivate var declaration: String {
    switch self {
    case .int, .bool: "INTEGER"
    case .double, .date: "REAL"
    case .string: "TEXT"
    case .data, .uuid: "BLOB"
    }
  }
}
