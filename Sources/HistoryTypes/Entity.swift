/// A type of object: a name, its attributes and their indexes (Core Data: `NSEntityDescription`).
public struct Entity: Hashable, Sendable, Codable {
  /// The name: a letter, then letters, digits and underscores.
  public let name: String
  /// The attributes, in the order of their indices; at most ``Model/attributeCountMax``.
  public let attributes: [Attribute]
  /// The indexes of the entity, each over one or more attributes, which make queries faster.
  ///
  /// An index makes each write of its attributes slower. Core Data: `NSEntityDescription.indexes`.
  public let indexes: [[ObjectOrder]]
  /// The uniqueness constraints: lists of attributes whose combined values differ between objects.
  ///
  /// Objects with null in one of the attributes are not compared. Each constraint is an index, too.
  /// The merge policy decides the outcome of a save that would create a duplicate. Core Data:
  /// `NSEntityDescription.uniquenessConstraints`.
  public let uniquenessConstraints: [[String]]
  /// The identity of the entity in all versions of the model; `nil` uses its name.
  ///
  /// To rename an entity, declare it under its new name, and set this property to its old name
  /// (Core Data: `NSEntityDescription.renamingIdentifier`).
  public let renamingIdentifier: String?
  /// A Boolean value that indicates whether the program's model has the entity.
  ///
  /// `Store.model` also contains the entities that only a newer program's model has, so that each
  /// entity has the same number in every program. In `Store.model`, such entities have no
  /// attributes, and requests cannot name them.
  public let isDeclared: Bool
  /// The bitmap of the attributes whose values a delete preserves in history.
  package let preserved: UInt64
  /// The number that the file gives to each attribute; empty if each equals the index in ``attributes``.
  package let numbers: [Int]
  /// The attributes that the file has and the program's model lacks, by their number in the file.
  package let others: [Int: Attribute]

  /// Creates an entity; a model validates its names, sizes and default values.
  ///
  /// ```swift
  /// Entity(
  ///   "Item",
  ///   [Attribute("title", .string, isOptional: false), Attribute("due", .date)],
  ///   indexes: [["due"], [.ascending("title", collation: .caseInsensitive), "due"]]
  /// )
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name: a letter, then letters, digits and underscores.
  ///   - attributes: The attributes, at most 64.
  ///   - renamingIdentifier: The identity of the entity in all versions of the model. The default
  ///     `nil` uses its name.
  ///   - indexes: The indexes, each over one or more attributes. The default is none.
  ///   - uniquenessConstraints: The lists of attributes whose combined values differ between objects.
  ///     The default is none.
  public init(
    _ name: String,
    _ attributes: [Attribute],
    renamingIdentifier: String? = nil,
    indexes: [[ObjectOrder]] = [],
    uniquenessConstraints: [[String]] = []
  ) {
    self.init(
      name,
      attributes,
      renamingIdentifier: renamingIdentifier,
      indexes: indexes,
      uniquenessConstraints: uniquenessConstraints,
      isDeclared: true,
      numbers: []
    )
  }

  /// Creates an entity of the model that a store file contains, without checking it.
  package init(
    _ name: String,
    _ attributes: [Attribute],
    renamingIdentifier: String?,
    indexes: [[ObjectOrder]] = [],
    uniquenessConstraints: [[String]] = [],
    isDeclared: Bool,
    numbers: [Int],
    others: [Int: Attribute] = [:]
  ) {
    self.name = name
    self.attributes = attributes
    self.renamingIdentifier = renamingIdentifier == name ? nil : renamingIdentifier
    self.indexes = indexes
    self.uniquenessConstraints = uniquenessConstraints
    self.isDeclared = isDeclared
    self.numbers = numbers.elementsEqual(numbers.indices) ? [] : numbers
    self.others = others
    preserved = attributes.prefix(64).enumerated().reduce(0) { bits, item in
      item.element.preservesValueInHistoryOnDeletion ? bits | 1 << UInt64(item.offset) : bits
    }
  }

  private enum CodingKeys: CodingKey {
    case name
    case attributes
    case renamingIdentifier
    case indexes
    case uniquenessConstraints
  }

  /// Decodes an entity.
  ///
  /// The renaming identifier, the indexes and the uniqueness constraints may be missing.
  ///
  /// - Throws: `DecodingError` if another key is missing or a value has the wrong type.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try values.decode(String.self, forKey: .name),
      try values.decode([Attribute].self, forKey: .attributes),
      renamingIdentifier: try values.decodeIfPresent(String.self, forKey: .renamingIdentifier),
      indexes: try values.decodeIfPresent([[ObjectOrder]].self, forKey: .indexes) ?? [],
      uniquenessConstraints: try values.decodeIfPresent(
        [[String]].self,
        forKey: .uniquenessConstraints
      ) ?? []
    )
  }

  /// Encodes the name and the attributes, and the renaming identifier, the indexes and the uniqueness
  /// constraints, if any.
  ///
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encode(attributes, forKey: .attributes)
    try values.encodeIfPresent(renamingIdentifier, forKey: .renamingIdentifier)
    if !indexes.isEmpty { try values.encode(indexes, forKey: .indexes) }
    if !uniquenessConstraints.isEmpty {
      try values.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
    }
  }

  /// The renaming identifier, or the name if there is no renaming identifier.
  package var identity: String { renamingIdentifier ?? name }

  /// Returns the index of the attribute with a name, or `nil`.
  ///
  /// - Complexity: linear in the number of attributes.
  public func index(of attribute: String) -> Int? {
    attributes.firstIndex { $0.name == attribute }
  }

  /// Returns the names of those ``attributes`` whose bits are set in a column bitmap, in their order.
  package func names(in columns: UInt64) -> [String] {
    attributes.indices.filter { columns >> UInt64($0) & 1 == 1 }.map { attributes[$0].name }
  }
}

extension Entity {
  /// Returns the attribute with the given number in the file, or `nil` if no attribute has the number.
  package func attribute(ofNumber number: Int) -> Attribute? {
    if let other = others[number] { return other }
    guard numbers.isEmpty else { return numbers.firstIndex(of: number).map { attributes[$0] } }
    return number < attributes.count ? attributes[number] : nil
  }

  /// The attributes that the file has and the program's model lacks, in the order of the file.
  ///
  /// In column bitmaps, their bits follow the bits of ``attributes``. An attribute number that is
  /// unused in the file has the element `nil`, so that every later element keeps its bit.
  package var othersInOrder: [Attribute?] {
    guard let last = others.keys.max() else { return [] }
    let declared = Set(numbers.isEmpty ? Array(attributes.indices) : numbers)
    return (0...last).filter { !declared.contains($0) }.map { others[$0] }
  }
}

/// A mapping between the column bitmaps of a program and the column bitmaps in the file.
///
/// In the file, the bit of an attribute is the number that the file gives to the attribute. In a
/// program, the first bits belong to the attributes of the program's model, in the order of the
/// model. After these come the bits of attributes that are only in the file, in the file's order.
package struct ColumnMapping: Sendable, Hashable {
  /// The number that the file gives to each attribute, by the attribute's index in the program's bitmap.
  private let numbers: [Int]
  /// The index of each attribute in the program's bitmap, by the number that the file gives to it.
  private let indices: [Int]

  /// Creates an entity's mapping; `nil` if the program and the file use the same bits.
  package init?(_ entity: Entity) {
    guard !entity.numbers.isEmpty else { return nil }
    let declared = Set(entity.numbers)
    let numbers = entity.numbers + (0..<64).filter { !declared.contains($0) }
    var indices = Array(repeating: 0, count: 64)
    for (index, number) in numbers.enumerated() where number < 64 { indices[number] = index }
    self.numbers = numbers
    self.indices = indices
  }

  /// Converts a column bitmap with the program's bits to one with the file's bits.
  package func numbers(of columns: UInt64) -> UInt64 { Self.map(columns, numbers) }

  /// Converts a column bitmap with the file's bits to one with the program's bits.
  package func indices(of columns: UInt64) -> UInt64 { Self.map(columns, indices) }

  private static func map(_ columns: UInt64, _ places: [Int]) -> UInt64 {
    var (left, mapped): (UInt64, UInt64) = (columns, 0)
    while left != 0 {
      mapped |= 1 << UInt64(places[left.trailingZeroBitCount])
      left &= left - 1
    }
    return mapped
  }
}
