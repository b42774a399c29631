import HistoryTypes
import SQLiteStorage

/// The tables of a store file.
package enum Schema {
  /// The application ID of store files ("PHLs"), which `file` and other tools display.
  ///
  /// See https://sqlite.org/pragma.html#pragma_application_id.
  package static let applicationID: Int64 = 0x5048_4C73
  /// The version of the file format.
  package static let formatVersion: Int64 = 1

  /// The tables that every layout has, except those of the entities.
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
    model: Model,
    id: StoreID,
    _ configuration: StoreConfiguration
  ) throws {
    try connection.execute(common)
    try connection.execute(history(of: model, configuration.layout))
    for (offset, entity) in model.entities.enumerated() {
      try connection.execute(table(of: entity))
      try connection.execute(firstKey(of: entity, number: offset + 1, configuration.layout))
    }
    let insert = try Statement(connection, "INSERT INTO history_metadata VALUES(?1, ?2)")
    let metadata = [
      "store": id.description, "model": model.signature,
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
    try connection.execute("PRAGMA application_id=\(applicationID)")
    try connection.execute("PRAGMA user_version=\(formatVersion)")
  }

  private static func history(of model: Model, _ layout: HistoryLayout) -> String {
    switch layout {
    case .packed: HistoryLayout.packedSchema
    case .coreData: HistoryLayout.coreDataSchema(of: model)
    }
  }

  private static func firstKey(
    of entity: Entity,
    number: Int,
    _ layout: HistoryLayout
  ) -> String {
    switch layout {
    case .packed: "INSERT INTO history_key VALUES(\(number), 1)"
    case .coreData: "INSERT INTO Z_PRIMARYKEY VALUES(\(number), '\(entity.name)', 0, 0)"
    }
  }

  private static func table(of entity: Entity) -> String {
    let columns = entity.attributes.map { ", \"\($0.name)\" \($0.type.declaration)" }
    return """
      CREATE TABLE "\(entity.name)"(
        _key INTEGER PRIMARY KEY, _version INTEGER NOT NULL\(columns.joined()))
      """
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

extension Model {
  /// The model as text with one line per entity, such as `Item title:string! count:int`.
  ///
  /// `!` marks preserved values. Names contain no spaces or colons, so no escaping is needed.
  package var signature: String {
    entities.map { entity in
      let attributes = entity.attributes.map {
        " \($0.name):\($0.type.rawValue)\($0.preservesValueInHistoryOnDeletion ? "!" : "")"
      }
      return entity.name + attributes.joined()
    }.joined(separator: "\n")
  }

  /// Creates a model from its ``signature``, or returns `nil` for invalid text.
  package init?(signature: String) {
    var entities: [Entity] = []
    for line in signature.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard let name = words.first else { return nil }
      let attributes = words.dropFirst().compactMap(Attribute.init(signature:))
      guard attributes.count == words.count - 1 else { return nil }
      entities.append(Entity(String(name), attributes))
    }
    guard let model = try? Model(entities) else { return nil }
    self = model
  }
}

extension Attribute {
  fileprivate init?(signature: Substring) {
    let isPreserved = signature.hasSuffix("!")
    let parts = (isPreserved ? signature.dropLast() : signature).split(separator: ":")
    guard parts.count == 2, let type = AttributeType(rawValue: String(parts[1])) else { return nil }
    self.init(String(parts[0]), type, preservesValueInHistoryOnDeletion: isPreserved)
  }
}
