/// The type of an attribute's values.
public enum AttributeType: String, Sendable, Hashable, Codable, CaseIterable {
  /// Values are signed 64-bit integers.
  case int
  /// Values are double-precision floating-point numbers.
  case double
  /// Values are text.
  case string
  /// Values are bytes.
  case data
  /// Values are points in time.
  case date
  /// Values are Boolean values.
  case bool
  /// Values are UUIDs of 16 bytes.
  case uuid
}

extension AttributeType {
  /// Returns whether every value of a type is also readable as a value of this, wider type.
  ///
  /// Integers are readable as doubles, and Boolean values as the numbers 0 and 1.
  public func isWidening(of type: AttributeType) -> Bool {
    switch (type, self) {
    case (.bool, .int), (.bool, .double), (.int, .double): true
    default: false
    }
  }
}

/// One attribute of an entity.
public struct Attribute: Hashable, Sendable, Codable {
  /// The name: a letter, then letters, digits and underscores.
  public let name: String
  /// The type of the values; every attribute also accepts null.
  public let type: AttributeType
  /// A Boolean value that indicates whether a delete preserves the value in history as a tombstone.
  ///
  /// Core Data: `NSAttributeDescription.preservesValueInHistoryOnDeletion`.
  public let preservesValueInHistoryOnDeletion: Bool
  /// The value of objects that are inserted without one, and of those older than the attribute.
  ///
  /// The default is null. Core Data: `NSAttributeDescription.defaultValue`.
  public let defaultValue: Value
  /// The identity of the attribute across models, usually its first name; `nil` for its name.
  ///
  /// To rename an attribute, set the identity of the new name to the old name (Core Data:
  /// `NSPropertyDescription.renamingIdentifier`).
  public let renamingIdentifier: String?

  /// Creates an attribute.
  public init(
    _ name: String,
    _ type: AttributeType,
    preservesValueInHistoryOnDeletion: Bool = false,
    defaultValue: Value = .null,
    renamingIdentifier: String? = nil
  ) {
    self.name = name
    self.type = type
    self.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
    self.defaultValue = defaultValue
    self.renamingIdentifier = renamingIdentifier == name ? nil : renamingIdentifier
  }

  /// The renaming identifier, or else the name.
  package var identity: String { renamingIdentifier ?? name }
}

extension Attribute {
  private enum CodingKeys: CodingKey {
    case name
    case type
    case preservesValueInHistoryOnDeletion
    case defaultValue
    case renamingIdentifier
  }

  /// Decodes an attribute; the default value and the renaming identifier may be missing.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let type = try values.decode(AttributeType.self, forKey: .type)
    let isDefaultGiven = values.contains(.defaultValue)
    self.init(
      try values.decode(String.self, forKey: .name),
      type,
      preservesValueInHistoryOnDeletion: try values.decode(
        Bool.self,
        forKey: .preservesValueInHistoryOnDeletion
      ),
      defaultValue: isDefaultGiven ? try Self.value(of: type, in: values) : .null,
      renamingIdentifier: try values.decodeIfPresent(String.self, forKey: .renamingIdentifier)
    )
  }

  private static func value(
    of type: AttributeType,
    in values: KeyedDecodingContainer<CodingKeys>
  ) throws -> Value {
    switch type {
    case .int: .int(try values.decode(Int64.self, forKey: .defaultValue))
    case .double: .double(try values.decode(Double.self, forKey: .defaultValue))
    case .string: .string(try values.decode(String.self, forKey: .defaultValue))
    case .data: .data(try values.decode(Data.self, forKey: .defaultValue))
    case .date: .date(try values.decode(Date.self, forKey: .defaultValue))
    case .bool: .bool(try values.decode(Bool.self, forKey: .defaultValue))
    case .uuid: .uuid(try values.decode(UUID.self, forKey: .defaultValue))
    }
  }

  /// Encodes the attribute; a default of null and a missing renaming identifier are left out.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encode(type, forKey: .type)
    try values.encode(
      preservesValueInHistoryOnDeletion,
      forKey: .preservesValueInHistoryOnDeletion
    )
    try values.encodeIfPresent(renamingIdentifier, forKey: .renamingIdentifier)
    switch defaultValue {
    case .null: break
    case .int(let value): try values.encode(value, forKey: .defaultValue)
    case .double(let value): try values.encode(value, forKey: .defaultValue)
    case .string(let value): try values.encode(value, forKey: .defaultValue)
    case .data(let value): try values.encode(value, forKey: .defaultValue)
    case .date(let value): try values.encode(value, forKey: .defaultValue)
    case .bool(let value): try values.encode(value, forKey: .defaultValue)
    case .uuid(let value): try values.encode(value, forKey: .defaultValue)
    }
  }
}
