/// The comparison of text in a sort order or an index.
///
/// See https://sqlite.org/datatype3.html#collation. A collation has no effect on values of other types.
public enum TextCollation: String, Sendable, Hashable, Codable, CaseIterable {
  /// Text is compared by its UTF-8 bytes.
  case binary
  /// Text is compared by its UTF-8 bytes, with ASCII letters converted to lower case.
  case caseInsensitive
}

/// An attribute to sort objects by, its direction, and the comparison of its text.
///
/// Null comes first in ascending order. Data is compared byte by byte. Objects with equal
/// attributes are sorted by key. A string literal creates an ascending order.
///
/// Core Data: `NSSortDescriptor`, and `NSFetchIndexElementDescription` in an index of an entity.
public struct ObjectOrder: Sendable, Hashable {
  /// The name of the attribute by whose values objects are sorted.
  public var attribute: String
  /// Whether small values come first; the default is `true`.
  public var isAscending: Bool
  /// The comparison of text; the default is `binary`.
  public var collation: TextCollation

  /// Creates an ascending or descending order.
  ///
  /// - Parameters:
  ///   - attribute: The name of the attribute.
  ///   - isAscending: Whether small values come first. The default is `true`.
  ///   - collation: The comparison of text. The default is ``TextCollation/binary``.
  public init(
    _ attribute: String,
    isAscending: Bool = true,
    collation: TextCollation = .binary
  ) {
    self.attribute = attribute
    self.isAscending = isAscending
    self.collation = collation
  }

  /// Returns an order from small to large values; text is compared by its bytes by default.
  public static func ascending(
    _ attribute: String,
    collation: TextCollation = .binary
  ) -> ObjectOrder {
    ObjectOrder(attribute, collation: collation)
  }

  /// Returns an order from large to small values; text is compared by its bytes by default.
  public static func descending(
    _ attribute: String,
    collation: TextCollation = .binary
  ) -> ObjectOrder {
    ObjectOrder(attribute, isAscending: false, collation: collation)
  }
}

extension ObjectOrder: ExpressibleByStringLiteral {
  /// Creates an ascending order by an attribute.
  public init(stringLiteral attribute: String) { self.init(attribute) }
}

extension ObjectOrder: CustomStringConvertible {
  /// The attribute, with the direction and the collation if they are not the defaults.
  public var description: String {
    attribute + (isAscending ? "" : " descending")
      + (collation == .binary ? "" : " case-insensitive")
  }
}

extension ObjectOrder: Codable {
  private enum CodingKeys: CodingKey {
    case attribute
    case isAscending
    case collation
  }

  /// Decodes an order; the direction and the collation may be missing.
  ///
  /// - Throws: `DecodingError` if the attribute is missing or a value has another type.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try values.decode(String.self, forKey: .attribute),
      isAscending: try values.decodeIfPresent(Bool.self, forKey: .isAscending) ?? true,
      collation: try values.decodeIfPresent(TextCollation.self, forKey: .collation) ?? .binary
    )
  }

  /// Encodes the order; an ascending direction and the collation `binary` are left out.
  ///
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(attribute, forKey: .attribute)
    if !isAscending { try values.encode(isAscending, forKey: .isAscending) }
    if collation != .binary { try values.encode(collation, forKey: .collation) }
  }
}
