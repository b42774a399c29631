import HistoryTypes
import SQLiteStorage

extension StoredModel {
  /// The model as text with one line per entity, such as `Item title:string! count:int;c=n;r`.
  ///
  /// `!` marks attributes whose values a delete preserves in history. Further properties follow an
  /// entity or attribute after semicolons. Of an entity: `t` for the table, `n` for the indexes. Of
  /// an attribute: `d` for the default value, `c` for the column, `p` if deletes no longer preserve
  /// the values but once did, `r` if it is required, `f` for a reference (the entity, a comma, the
  /// delete rule). Of both: `i` for the identity, `x` if it was removed.
  package var text: String {
    entities.map { entity in
      ([entity.head] + entity.attributes.map(\.text)).joined(separator: " ")
    }.joined(separator: "\n")
  }

  /// Creates a model from its ``text`` and version, or returns `nil` for invalid text.
  package init?(text: String, version: Int = 1) {
    var made = StoredModel()
    made.version = version
    for line in text.split(separator: "\n") {
      guard let entity = StoredEntity(line) else { return nil }
      made.entities.append(entity)
    }
    guard (try? Model(made.live.entities)) != nil || made.live.entities.isEmpty else { return nil }
    guard !made.entities.isEmpty else { return nil }
    self = made
  }
}

extension StoredEntity {
  fileprivate var head: String {
    var fields = [name]
    if identity != name { fields.append("i=" + identity) }
    if table != name { fields.append("t=" + table) }
    if !indexes.isEmpty { fields.append("n=" + indexes.map(\.text).joined(separator: "|")) }
    if isRemoved { fields.append("x") }
    return fields.joined(separator: ";")
  }

  fileprivate init?(_ line: Substring) {
    let words = line.split(separator: " ")
    guard let fields = words.first.map({ TextFields($0) }) else { return nil }
    let attributes = words.dropFirst().compactMap { StoredAttribute($0) }
    guard attributes.count == words.count - 1, fields.areAmong(["i", "t", "n", "x"])
    else { return nil }
    self.init(
      name: fields.head,
      identity: fields["i"] ?? fields.head,
      table: fields["t"] ?? fields.head,
      attributes: attributes
    )
    isRemoved = fields["x"] != nil
    for text in (fields["n"] ?? "").split(separator: "|") {
      guard let index = StoredIndex(text, attributeCount: attributes.count) else { return nil }
      indexes.append(index)
    }
  }
}

extension StoredAttribute {
  fileprivate var text: String {
    let mark = attribute.preservesValueInHistoryOnDeletion ? "!" : ""
    var fields = ["\(attribute.name):\(attribute.type.rawValue)\(mark)"]
    if attribute.defaultValue != .null { fields.append("d=" + attribute.defaultValue.field) }
    if attribute.identity != attribute.name { fields.append("i=" + attribute.identity) }
    if column != attribute.name { fields.append("c=" + column) }
    if !attribute.isOptional { fields.append("r") }
    if hasPlace && !attribute.preservesValueInHistoryOnDeletion { fields.append("p") }
    if let reference = attribute.reference {
      fields.append("f=\(reference.entity),\(reference.deleteRule.rawValue)")
    }
    if isRemoved { fields.append("x") }
    return fields.joined(separator: ";")
  }

  fileprivate init?(_ word: Substring) {
    let fields = TextFields(word)
    guard fields.areAmong(["d", "i", "c", "p", "r", "f", "x"]) else { return nil }
    let isPreserved = fields.head.hasSuffix("!")
    let parts = (isPreserved ? fields.head.dropLast() : fields.head[...]).split(separator: ":")
    guard parts.count == 2, let type = AttributeType(rawValue: String(parts[1])) else { return nil }
    var value = Value.null
    if let text = fields["d"] {
      guard let read = Value(field: text, as: type) else { return nil }
      value = read
    }
    var reference: Reference?
    if let text = fields["f"] {
      guard let read = Reference(field: text) else { return nil }
      reference = read
    }
    let name = String(parts[0])
    self.init(
      Attribute(
        name,
        type,
        isOptional: fields["r"] == nil,
        preservesValueInHistoryOnDeletion: isPreserved,
        defaultValue: value,
        renamingIdentifier: fields["i"],
        reference: reference
      ),
      column: fields["c"] ?? name
    )
    hasPlace = hasPlace || fields["p"] != nil
    isRemoved = fields["x"] != nil
  }
}

extension Reference {
  /// Creates a reference from the text `ENTITY,RULE`, or returns `nil` for other text.
  fileprivate init?(field text: String) {
    let parts = text.split(separator: ",")
    guard parts.count == 2, let rule = DeleteRule(rawValue: String(parts[1])) else { return nil }
    self.init(to: String(parts[0]), deleteRule: rule)
  }
}

/// The properties of an entity or attribute in a model's text, separated by semicolons.
private struct TextFields {
  let head: String
  private var values: [String: String] = [:]

  init(_ word: Substring) {
    let parts = word.split(separator: ";", omittingEmptySubsequences: false)
    head = parts.first.map { String($0) } ?? ""
    for part in parts.dropFirst() {
      let name = part.prefix { $0 != "=" }
      values[String(name)] = String(part.dropFirst(name.count + 1))
    }
  }

  subscript(name: String) -> String? { values[name] }

  /// Returns whether all properties in the text are known ones.
  func areAmong(_ known: Set<String>) -> Bool { values.keys.allSatisfy(known.contains) }
}

extension Value {
  /// A value as text without spaces, semicolons and line ends.
  fileprivate var field: String {
    switch self {
    case .null: ""
    case .int(let value): String(value)
    case .double(let value): String(value)
    case .string(let value): Self.hexadecimal(value.utf8)
    case .data(let value): Self.hexadecimal(value)
    case .date(let value): String(value.timeIntervalSinceReferenceDate)
    case .bool(let value): value ? "1" : "0"
    case .uuid(let value): value.uuidString
    }
  }

  fileprivate init?(field text: String, as type: AttributeType) {
    switch type {
    case .int:
      guard let value = Int64(text) else { return nil }
      self = .int(value)
    case .double:
      guard let value = Double(text) else { return nil }
      self = .double(value)
    case .string:
      guard let bytes = Self.bytes(text) else { return nil }
      self = .string(String(decoding: bytes, as: UTF8.self))
    case .data:
      guard let bytes = Self.bytes(text) else { return nil }
      self = .data(Data(bytes))
    case .date:
      guard let value = Double(text) else { return nil }
      self = .date(Date(timeIntervalSinceReferenceDate: value))
    case .bool: self = .bool(text == "1")
    case .uuid:
      guard let value = UUID(uuidString: text) else { return nil }
      self = .uuid(value)
    }
  }

  static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }

  private static func bytes(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
    }
    return bytes.count == digits.count / 2 ? bytes : nil
  }
}

extension StoredModel {
  /// The key in `history_metadata` for the text of the model.
  static let textName = "model"
  /// The key in `history_metadata` for the version of the model, which is 1 without this key.
  static let versionName = "modelVersion"

  /// The key in `history_metadata` for the oldest model version that may open the file.
  ///
  /// A migration writes this entry; a file without the entry was never migrated.
  static let oldestName = "modelOldest"

  /// The problem that the error states if the text of the file's model is invalid.
  static let unreadable = "its model cannot be read"

  /// Reads the model of an open file.
  ///
  /// - Throws: ``HistoryError/Code/damaged`` if the text of the model is invalid.
  init?(_ connection: borrowing Connection, path: String) throws {
    let version = try Self.version(connection)
    let text = try connection.text(
      "SELECT value FROM history_metadata WHERE name = '\(Self.textName)'"
    )
    guard let text, let stored = StoredModel(text: text, version: version) else {
      throw HistoryError.damaged(path: path, what: Self.unreadable)
    }
    self = stored
  }

  /// Reads the version of the model of an open file.
  static func version(_ connection: borrowing Connection) throws -> Int {
    let version = try connection.integer(
      "SELECT value FROM history_metadata WHERE name = '\(versionName)'"
    )
    return Int(version ?? 1)
  }

  /// Throws if the file lacks a table or column that a program's model needs.
  func checkFits(_ model: Model, path: String) throws {
    var missing: [ModelDifference] = []
    for (offset, entity) in model.entities.enumerated() where entity.isDeclared {
      guard offset < entities.count, !entities[offset].isRemoved else {
        missing.append(.removedEntity(entity.name))
        continue
      }
      for (index, attribute) in entity.attributes.enumerated() {
        let number = entity.numbers.isEmpty ? index : entity.numbers[index]
        guard number < entities[offset].attributes.count,
          !entities[offset].attributes[number].isRemoved
        else {
          missing.append(.removedAttribute(entity: entity.name, attribute: attribute.name))
          continue
        }
      }
    }
    guard missing.isEmpty else { throw outgrown(model, missing, path: path) }
  }

  /// Returns the error for a program whose model cannot be used after a migration of the file.
  func outgrown(
    _ model: Model,
    _ differences: [ModelDifference],
    path: String
  ) -> HistoryError {
    HistoryError.otherModel(
      path: path,
      ModelConflict(
        .outgrown,
        fileVersion: version,
        programVersion: model.version,
        differences: differences
      )
    )
  }
}
