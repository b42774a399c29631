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

  /// Creates an attribute.
  public init(
    _ name: String,
    _ type: AttributeType,
    preservesValueInHistoryOnDeletion: Bool = false
  ) {
    self.name = name
    self.type = type
    self.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
  }
}

/// A type of object: a name and its attributes.
public struct Entity: Hashable, Sendable, Codable {
  /// The name: a letter, then letters, digits and underscores.
  public let name: String
  /// The attributes, in the order of the bits in column bitmaps.
  public let attributes: [Attribute]
  /// The bitmap of the attributes whose values a delete preserves in history.
  public let preserved: UInt64

  /// Creates an entity.
  public init(_ name: String, _ attributes: [Attribute]) {
    self.name = name
    self.attributes = attributes
    preserved = attributes.prefix(64).enumerated().reduce(0) { bits, item in
      item.element.preservesValueInHistoryOnDeletion ? bits | 1 << UInt64(item.offset) : bits
    }
  }

  private enum CodingKeys: CodingKey {
    case name
    case attributes
  }

  /// Decodes the name and the attributes, and derives `preserved` from the attributes.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try values.decode(String.self, forKey: .name),
      try values.decode([Attribute].self, forKey: .attributes)
    )
  }

  /// Encodes the name and the attributes.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encode(attributes, forKey: .attributes)
  }

  /// Returns the index of the attribute with a name, or `nil`.
  ///
  /// - Complexity: linear in the number of attributes.
  public func index(of attribute: String) -> Int? {
    attributes.firstIndex { $0.name == attribute }
  }

  /// Returns the names of the attributes in a column bitmap, in order.
  public func names(in columns: UInt64) -> [String] {
    attributes.indices.filter { columns >> UInt64($0) & 1 == 1 }.map { attributes[$0].name }
  }
}

/// The entities of a store.
///
/// Entities are numbered from 1 in the order given; the numbers are part of every ``ObjectID``.
public struct Model: Hashable, Sendable, Codable {
  /// The maximum number of attributes of one entity: a column bitmap has one bit for each.
  public static let attributeCountMax = 64
  /// The entities; entity number n has the index n - 1.
  public let entities: [Entity]

  /// Creates a model after validating its names and sizes.
  ///
  /// - Throws: ``ModelError`` with the name of the invalid entity or attribute.
  public init(_ entities: [Entity]) throws(ModelError) {
    try Self.check(entities)
    self.entities = entities
  }

  /// Creates the model of a file that other software wrote, without validating its names.
  package init(unchecked entities: [Entity]) {
    self.entities = entities
  }

  /// Decodes and validates a model.
  public init(from decoder: any Decoder) throws {
    let entities = try decoder.singleValueContainer().decode([Entity].self)
    try self.init(entities)
  }

  /// Encodes the entities.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(entities)
  }

  /// Returns the entity with a number, or `nil`.
  public func entity(_ number: Int32) -> Entity? {
    entities.indices.contains(Int(number) - 1) ? entities[Int(number) - 1] : nil
  }

  /// Returns the number of the entity with a name, or `nil`.
  ///
  /// - Complexity: linear in the number of entities.
  public func number(of entity: String) -> Int32? {
    entities.firstIndex { $0.name == entity }.map { Int32($0 + 1) }
  }

  private static func check(_ entities: [Entity]) throws(ModelError) {
    guard !entities.isEmpty else { throw .noEntity }
    var names: Set<String> = []
    for entity in entities {
      guard isName(entity.name) else { throw .badName(entity.name) }
      guard names.insert(entity.name.lowercased()).inserted else { throw .twice(entity.name) }
      guard entity.attributes.count <= attributeCountMax else {
        throw .tooManyAttributes(entity.name, entity.attributes.count)
      }
      var attributes: Set<String> = []
      for attribute in entity.attributes {
        guard isName(attribute.name) else { throw .badName("\(entity.name).\(attribute.name)") }
        guard attributes.insert(attribute.name.lowercased()).inserted else {
          throw .twice("\(entity.name).\(attribute.name)")
        }
      }
    }
  }

  /// Returns whether a text is a valid name of an entity or attribute.
  ///
  /// Names become SQL identifiers. Only ASCII letters, digits and underscores are valid, so that a
  /// name cannot contain a quotation mark. The prefixes `history_` and `sqlite_` are reserved for
  /// the store and SQLite.
  private static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, (0x41...0x5a).contains(first & 0xdf) else { return false }
    let lower = name.lowercased()
    return name.utf8.count <= 100 && !lower.hasPrefix("history_") && !lower.hasPrefix("sqlite_")
      && name.utf8.allSatisfy {
        (0x41...0x5a).contains($0 & 0xdf) || (0x30...0x39).contains($0) || $0 == 0x5f
      }
  }
}

/// A validation error of a model.
public enum ModelError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The model has no entity.
  case noEntity
  /// A name is not a letter followed by letters, digits and underscores, or is reserved.
  case badName(String)
  /// Two entities, or two attributes of one entity, have the same name, ignoring case.
  case twice(String)
  /// An entity has more attributes than a column bitmap has bits.
  case tooManyAttributes(String, Int)

  /// A sentence that describes the error and how to fix it.
  public var description: String {
    switch self {
    case .noEntity: "A model needs at least one entity."
    case .badName(let name):
      "\"\(name)\" cannot name an entity or attribute: use a letter, then letters, digits or "
        + "underscores (100 at most), and no prefix history_ or sqlite_."
    case .twice(let name): "The model has \"\(name)\" twice (upper and lower case are equal)."
    case .tooManyAttributes(let name, let count):
      "The entity \"\(name)\" has \(count) attributes; \(Model.attributeCountMax) is the most."
    }
  }
}
