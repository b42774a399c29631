/// The type of an attribute's values (Core Data: `NSAttributeDescription.AttributeType`).
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
  /// Values are `true` or `false`, which SQLite stores as 1 or 0.
  case bool
  /// Values are UUIDs of 16 bytes.
  case uuid
}

extension AttributeType {
  /// Returns whether this type is wider than `type` and can represent every value of `type`.
  ///
  /// Integers are readable as doubles, and Boolean values as the numbers 0 and 1.
  public func isWidening(of type: AttributeType) -> Bool {
    switch (type, self) {
    case (.bool, .int), (.bool, .double), (.int, .double): true
    default: false
    }
  }
}

/// One attribute of an entity (Core Data: `NSAttributeDescription`).
public struct Attribute: Hashable, Sendable, Codable {
  /// The name: a letter, then letters, digits and underscores.
  public let name: String
  /// The type of the values; an optional attribute also accepts null.
  public let type: AttributeType
  /// A Boolean value that indicates whether an object's value may be null.
  ///
  /// The default is `true`. A write that leaves a required attribute without a value fails, even if
  /// another program writes with plain SQL. Core Data: `NSAttributeDescription.isOptional`.
  public let isOptional: Bool
  /// A Boolean value that indicates whether a delete preserves the value in history as a tombstone.
  ///
  /// Core Data: `NSAttributeDescription.preservesValueInHistoryOnDeletion`.
  public let preservesValueInHistoryOnDeletion: Bool
  /// The value for objects inserted without a value, and for objects older than the attribute.
  ///
  /// The default is null. Core Data: `NSAttributeDescription.defaultValue`.
  public let defaultValue: Value
  /// The identity of the attribute in all versions of the model; `nil` uses its name.
  ///
  /// To rename an attribute, declare it under its new name, and set this property to its old name
  /// (Core Data: `NSPropertyDescription.renamingIdentifier`).
  public let renamingIdentifier: String?
  /// The referenced entity and the delete rule, or `nil` if the attribute is not a reference.
  public let reference: Reference?

  /// Creates an attribute.
  ///
  /// - Parameters:
  ///   - name: The name: a letter, then letters, digits and underscores.
  ///   - type: The type of the values.
  ///   - isOptional: Whether an object's value may be null. The default is `true`.
  ///   - preservesValueInHistoryOnDeletion: Whether a delete preserves the value in history. The
  ///     default is `false`.
  ///   - defaultValue: The value for objects inserted without a value, and for objects older than the
  ///     attribute. The default is null.
  ///   - renamingIdentifier: The identity of the attribute in all versions of the model. The default
  ///     `nil` uses its name.
  public init(
    _ name: String,
    _ type: AttributeType,
    isOptional: Bool = true,
    preservesValueInHistoryOnDeletion: Bool = false,
    defaultValue: Value = .null,
    renamingIdentifier: String? = nil
  ) {
    self.init(
      name,
      type,
      isOptional: isOptional,
      preservesValueInHistoryOnDeletion: preservesValueInHistoryOnDeletion,
      defaultValue: defaultValue,
      renamingIdentifier: renamingIdentifier,
      reference: nil
    )
  }

  /// Creates an attribute, which is a reference if `reference` is given.
  package init(
    _ name: String,
    _ type: AttributeType,
    isOptional: Bool,
    preservesValueInHistoryOnDeletion: Bool,
    defaultValue: Value,
    renamingIdentifier: String?,
    reference: Reference?
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
    self.defaultValue = defaultValue
    self.renamingIdentifier = renamingIdentifier == name ? nil : renamingIdentifier
    self.reference = reference
  }

  /// The renaming identifier, or the name if there is no renaming identifier.
  package var identity: String { renamingIdentifier ?? name }
}

extension Attribute {
  private enum CodingKeys: CodingKey {
    case name
    case type
    case isOptional
    case preservesValueInHistoryOnDeletion
    case defaultValue
    case renamingIdentifier
    case reference
  }

  /// Decodes an attribute; the keys that ``encode(to:)`` leaves out may be missing.
  ///
  /// A missing `isOptional` is `true`, a missing default value is null, and other missing
  /// properties are `nil`.
  ///
  /// - Throws: `DecodingError` if another key is missing or a value has the wrong type.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let type = try values.decode(AttributeType.self, forKey: .type)
    let isDefaultGiven = values.contains(.defaultValue)
    self.init(
      try values.decode(String.self, forKey: .name),
      type,
      isOptional: try values.decodeIfPresent(Bool.self, forKey: .isOptional) ?? true,
      preservesValueInHistoryOnDeletion: try values.decode(
        Bool.self,
        forKey: .preservesValueInHistoryOnDeletion
      ),
      defaultValue: isDefaultGiven ? try Self.value(of: type, in: values) : .null,
      renamingIdentifier: try values.decodeIfPresent(String.self, forKey: .renamingIdentifier),
      reference: try values.decodeIfPresent(Reference.self, forKey: .reference)
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

  /// Encodes the attribute.
  ///
  /// A null default, properties that are `nil`, and an `isOptional` of `true` are left out.
  ///
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encode(type, forKey: .type)
    if !isOptional { try values.encode(isOptional, forKey: .isOptional) }
    try values.encode(
      preservesValueInHistoryOnDeletion,
      forKey: .preservesValueInHistoryOnDeletion
    )
    try values.encodeIfPresent(renamingIdentifier, forKey: .renamingIdentifier)
    try values.encodeIfPresent(reference, forKey: .reference)
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

/// The value of one attribute of one object.
public enum Value: Hashable, Sendable {
  /// The absence of a value, as SQL's `NULL`.
  case null
  /// A signed 64-bit integer.
  case int(Int64)
  /// A double; stores reject NaN, because SQLite stores it as null.
  case double(Double)
  /// Text in UTF-8.
  case string(String)
  /// Bytes, which SQLite stores as a BLOB.
  case data(Data)
  /// A point in time, in seconds since 2001-01-01 UTC.
  case date(Date)
  /// A Boolean value.
  case bool(Bool)
  /// A UUID of 16 bytes.
  case uuid(UUID)

  /// The attribute type of this value, or `nil` for null, which every type accepts.
  public var type: AttributeType? {
    switch self {
    case .null: nil
    case .int: .int
    case .double: .double
    case .string: .string
    case .data: .data
    case .date: .date
    case .bool: .bool
    case .uuid: .uuid
    }
  }
}

extension Value {
  /// The integer, or `nil` if this is a value of another type.
  public var int: Int64? { if case .int(let value) = self { value } else { nil } }
  /// The double, or `nil` if this is a value of another type.
  public var double: Double? { if case .double(let value) = self { value } else { nil } }
  /// The text, or `nil` if this is a value of another type.
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  /// The bytes, or `nil` if this is a value of another type.
  public var data: Data? { if case .data(let value) = self { value } else { nil } }
  /// The point in time, or `nil` if this is a value of another type.
  public var date: Date? { if case .date(let value) = self { value } else { nil } }
  /// The Boolean value, or `nil` if this is a value of another type.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The UUID, or `nil` if this is a value of another type.
  public var uuid: UUID? { if case .uuid(let value) = self { value } else { nil } }
  /// A Boolean value that indicates whether this is null.
  public var isNull: Bool { self == .null }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  /// Creates an integer value.
  public init(integerLiteral value: Int64) { self = .int(value) }
  /// Creates a double value.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Creates a string value.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates a Boolean value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates a null value.
  public init(nilLiteral: ()) { self = .null }
}

extension Value: CustomStringConvertible {
  /// A short text form for reports and errors.
  public var description: String {
    switch self {
    case .null: "null"
    case .int(let value): String(value)
    case .double(let value): String(value)
    case .string(let value): "\"\(value)\""
    case .data(let value): value.count.counted("byte")
    case .date(let value): "\(value.timeIntervalSinceReferenceDate) s"
    case .bool(let value): String(value)
    case .uuid(let value): value.uuidString
    }
  }
}

extension Int {
  /// Returns the number with a noun: `1 command`, `1,200 commands`.
  ///
  /// The default plural is the noun with an `s`.
  package func counted(_ one: String, _ many: String? = nil) -> String {
    "\(inGroups) \(magnitude == 1 ? one : many ?? one + "s")"
  }

  /// The number with a comma between groups of three digits.
  package var inGroups: String {
    var digits = String(magnitude)
    var groups: [Substring] = []
    while digits.count > 3 {
      groups.insert(digits.suffix(3), at: 0)
      digits.removeLast(3)
    }
    groups.insert(digits[...], at: 0)
    return (self < 0 ? "-" : "") + groups.joined(separator: ",")
  }
}
