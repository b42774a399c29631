import Basics

/// The entities of a store, with a version number.
///
/// Core Data: `NSManagedObjectModel`.
///
/// Entities are numbered from 1 in the order given; the numbers are part of every ``ObjectID``. A
/// changed model needs a higher version: see ``differences(from:)``.
public struct Model: Hashable, Sendable, Codable {
  /// The maximum number of attributes of one entity: 64.
  public static let attributeCountMax = 64
  /// The entities; entity number n has the index n - 1.
  public let entities: [Entity]
  /// The version, at least 1; the default is 1.
  public let version: Int

  /// Creates a model after validating its names, sizes and default values.
  ///
  /// - Parameters:
  ///   - entities: The entities, at least one; entity number n has the index n - 1.
  ///   - version: The version, at least 1. The default is 1.
  /// - Throws: ``ModelError`` with the name of the invalid entity or attribute.
  /// - Complexity: linear in the number of attributes, with a search by name for each attribute of an
  ///   index, and for each reference; no query.
  public init(_ entities: [Entity], version: Int = 1) throws(ModelError) {
    guard version >= 1 else { throw .badVersion(version) }
    try Self.check(entities)
    self.entities = entities
    self.version = version
  }

  /// Creates the model of a file, without validating it.
  package init(unchecked entities: [Entity], version: Int = 1) {
    self.entities = entities
    self.version = version
  }

  private enum CodingKeys: CodingKey {
    case version
    case entities
  }

  /// Decodes and validates a model: a list of entities, or an object with version and entities.
  ///
  /// - Throws: `DecodingError` if a key is missing or a value has another type, or ``ModelError`` if the
  ///   model is invalid.
  public init(from decoder: any Decoder) throws {
    if let values = try? decoder.container(keyedBy: CodingKeys.self) {
      try self.init(
        try values.decode([Entity].self, forKey: .entities),
        version: try values.decode(Int.self, forKey: .version)
      )
    } else {
      try self.init(try decoder.singleValueContainer().decode([Entity].self))
    }
  }

  /// Encodes the list of entities, or an object with version and entities if the version is not 1.
  ///
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    guard version != 1 else {
      var container = encoder.singleValueContainer()
      return try container.encode(entities)
    }
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(version, forKey: .version)
    try values.encode(entities, forKey: .entities)
  }

  /// Returns the entity with the given number, or `nil` if there is none; numbers start at 1.
  public func entity(_ number: Int32) -> Entity? {
    entities.indices.contains(Int(number) - 1) ? entities[Int(number) - 1] : nil
  }

  /// Returns the number of the declared entity with a name, or `nil`.
  ///
  /// - Complexity: linear in the number of entities.
  public func number(of entity: String) -> Int32? {
    entities.firstIndex { $0.name == entity && $0.isDeclared }.map { Int32($0 + 1) }
  }
}

extension Model {
  private static func check(_ entities: [Entity]) throws(ModelError) {
    guard !entities.isEmpty else { throw .noEntity }
    var names: Set<String> = []
    var identities: Set<String> = []
    for entity in entities {
      guard isName(entity.name) else { throw .badName(entity.name) }
      guard isName(entity.identity) else { throw .badName(entity.identity) }
      guard names.insert(entity.name.lowercased()).inserted else { throw .twice(entity.name) }
      guard identities.insert(entity.identity.lowercased()).inserted else {
        throw .sameIdentity(entity.name, entity.identity)
      }
      guard entity.attributes.count <= attributeCountMax else {
        throw .tooManyAttributes(entity.name, entity.attributes.count)
      }
      try check(entity.attributes, of: entity.name)
      try check(entity.indexes, of: entity)
      try check(
        entity.uniquenessConstraints.map { $0.map { ObjectOrder($0) } },
        of: entity
      )
    }
    for entity in entities { try checkReferences(of: entity, among: entities) }
  }

  private static func checkReferences(
    of entity: Entity,
    among entities: [Entity]
  ) throws(ModelError) {
    for attribute in entity.attributes {
      guard let reference = attribute.reference else { continue }
      let name = "\(entity.name).\(attribute.name)"
      guard attribute.type == .int, attribute.defaultValue == .null else {
        throw .unfitReference(name)
      }
      guard attribute.isOptional || reference.deleteRule != .nullify else {
        throw .requiredNullified(name)
      }
      guard entities.contains(where: { $0.name == reference.entity }) else {
        throw .unknownReference(
          name,
          reference.entity,
          nearest: NearestWord.find(reference.entity, among: entities.map(\.name))
        )
      }
      if let position = reference.orderedBy { try check(position, of: name, in: entity) }
    }
  }

  /// Throws unless an attribute can contain the positions of an ordered reference.
  private static func check(
    _ position: String,
    of reference: String,
    in entity: Entity
  ) throws(ModelError) {
    guard let index = entity.index(of: position) else {
      throw .unknownPosition(
        reference,
        position,
        nearest: NearestWord.find(position, among: entity.attributes.map(\.name))
      )
    }
    let ordered = entity.attributes.filter { $0.reference?.orderedBy == position }
    guard entity.attributes[index].type == .double, ordered.count == 1 else {
      throw .unfitPosition(reference, position)
    }
  }

  private static func check(
    _ attributes: [Attribute],
    of entity: String
  ) throws(ModelError) {
    var names: Set<String> = []
    var identities: Set<String> = []
    for attribute in attributes {
      let name = "\(entity).\(attribute.name)"
      guard isName(attribute.name) else { throw .badName(name) }
      guard isName(attribute.identity) else { throw .badName("\(entity).\(attribute.identity)") }
      guard names.insert(attribute.name.lowercased()).inserted else { throw .twice(name) }
      guard identities.insert(attribute.identity.lowercased()).inserted else {
        throw .sameIdentity(name, attribute.identity)
      }
      guard attribute.defaultValue.fits(attribute.type) else {
        throw .unfitDefault(name, attribute.type)
      }
    }
  }

  private static func check(
    _ indexes: [[ObjectOrder]],
    of entity: Entity
  ) throws(ModelError) {
    for index in indexes {
      for order in index where entity.index(of: order.attribute) == nil {
        throw .unknownIndexedAttribute(
          entity.name,
          order.attribute,
          nearest: NearestWord.find(order.attribute, among: entity.attributes.map(\.name))
        )
      }
      guard !index.isEmpty, Set(index.map(\.attribute)).count == index.count else {
        throw .badIndex(entity.name, index)
      }
    }
    for (place, index) in indexes.enumerated() where indexes[..<place].contains(index) {
      throw .badIndex(entity.name, index)
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

extension Value {
  /// Returns whether the value is null, or has the type and can be a default in a file's schema.
  ///
  /// A file's schema contains neither infinite numbers nor text with a null character.
  fileprivate func fits(_ type: AttributeType) -> Bool {
    switch self {
    case .null: true
    case .string(let value): type == .string && !value.utf8.contains(0)
    case .double(let value): type == .double && value.isFinite
    case .date(let value): type == .date && value.timeIntervalSinceReferenceDate.isFinite
    default: self.type == type
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
  /// An entity has more attributes than ``Model/attributeCountMax``.
  case tooManyAttributes(String, Int)
  /// The version is less than 1.
  case badVersion(Int)
  /// Two entities, or two attributes of one entity, have the same renaming identifier.
  case sameIdentity(String, String)
  /// A default value is of another type than its attribute, not finite, or has a null character.
  case unfitDefault(String, AttributeType)
  /// A reference names an entity that the model lacks; `nearest` is the most similar name, if any.
  case unknownReference(String, String, nearest: String?)
  /// A reference is required, but its delete rule makes it null.
  case requiredNullified(String)
  /// A reference is not an integer, or has a default value.
  case unfitReference(String)
  /// A reference is ordered by an attribute that its entity lacks; `nearest` is the most similar name,
  /// if any.
  case unknownPosition(String, String, nearest: String?)
  /// A reference is ordered by an unsuitable attribute.
  ///
  /// The attribute is not of type `double`, or another reference is ordered by it, too.
  case unfitPosition(String, String)
  /// An index or a uniqueness constraint names an attribute that the entity lacks; `nearest` is the
  /// most similar name, if any.
  case unknownIndexedAttribute(String, String, nearest: String?)
  /// An index or a uniqueness constraint is empty, names an attribute twice, or equals another one.
  case badIndex(String, [ObjectOrder])

  /// A sentence that describes the error and how to fix it.
  public var description: String {
    switch self {
    case .noEntity: "A model needs at least one entity."
    case .badName(let name):
      "\"\(name)\" cannot name an entity or attribute: use a letter, then letters, digits or "
        + "underscores (at most 100 characters), and no prefix history_ or sqlite_."
    case .twice(let name): "The model declares \"\(name)\" twice, ignoring case: rename one."
    case .tooManyAttributes(let name, let count):
      "The entity \"\(name)\" has \(count) attributes; at most \(Model.attributeCountMax) are "
        + "allowed."
    case .badVersion(let version): "A model's version must be at least 1, not \(version)."
    case .sameIdentity(let name, let identity):
      "\"\(name)\" and another entity or attribute have the identity \"\(identity)\": give one of "
        + "them another renaming identifier."
    case .unfitDefault(let name, let type):
      "The default value of \"\(name)\" must be of type \(type.rawValue), finite, and without null "
        + "characters."
    case .unknownReference(let name, let entity, let nearest):
      "\"\(name)\" refers to the entity \"\(entity)\", which the model lacks"
        + (nearest.map { ". Did you mean \"\($0)\"?" } ?? ": add it, or correct the name.")
    case .requiredNullified(let name):
      "\"\(name)\" is required, but its delete rule makes it null: use the rule cascade or deny, or make "
        + "it optional."
    case .unfitReference(let name):
      "\"\(name)\" is a reference: make it an integer without a default value."
    case .unknownPosition(let name, let position, let nearest):
      "\"\(name)\" is ordered by \"\(position)\", but its entity has no such attribute"
        + (nearest.map { ". Did you mean \"\($0)\"?" } ?? ": add it, of type double.")
    case .unfitPosition(let name, let position):
      "\"\(name)\" is ordered by \"\(position)\": make that attribute a double that orders no other "
        + "reference."
    case .unknownIndexedAttribute(let entity, let name, let nearest):
      "The entity \"\(entity)\" has an index or a uniqueness constraint over \"\(name)\", but no "
        + "such attribute"
        + (nearest.map { ". Did you mean \"\($0)\"?" } ?? ": remove the name or add the attribute.")
    case .badIndex(let entity, let index):
      "The entity \"\(entity)\" has an index or a uniqueness constraint "
        + "(\(index.map(\.description).joined(separator: ", "))) "
        + (index.isEmpty
          ? "over no attribute: name at least one."
          : Set(index.map(\.attribute)).count < index.count
            ? "with one attribute twice: name each once." : "twice: declare it once.")
    }
  }
}
