/// The identity of one object within a store: the number of its entity and its key.
///
/// Keys are never reused within a store. A store converts identities to URIs and back
/// (Core Data: `NSManagedObjectID.uriRepresentation()`).
public struct ObjectID: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The entity's number in the model, from 1.
  public let entity: Int32
  /// The object's key within its entity, from 1.
  public let key: Int64

  /// Creates the identity of the object with a key in an entity.
  public init(entity: Int32, key: Int64) {
    self.entity = entity
    self.key = key
  }

  /// The entity number and the key, for logs.
  public var description: String { "e\(entity)/p\(key)" }
}

extension ObjectID: Comparable {
  /// Orders by entity, then by key.
  public static func < (left: ObjectID, right: ObjectID) -> Bool {
    left.entity == right.entity ? left.key < right.key : left.entity < right.entity
  }
}

/// The text form of an object's identity: `x-history://STORE/ENTITY/pKEY`.
///
/// Core Data: `NSManagedObjectID.uriRepresentation()`.
package struct ObjectURI: Hashable, Sendable, CustomStringConvertible {
  private static let scheme = "x-history://"

  /// The store that contains the object.
  package let store: StoreID
  /// The name of the entity.
  package let entity: String
  /// The key within the entity, from 1.
  package let key: Int64

  package init(store: StoreID, entity: String, key: Int64) {
    self.store = store
    self.entity = entity
    self.key = key
  }

  /// Parses the complete text form; returns `nil` for any other text.
  ///
  /// The store part may be in lowercase, because some URI libraries convert it.
  package init?(_ text: String) {
    guard text.hasPrefix(Self.scheme) else { return nil }
    let parts = text.dropFirst(Self.scheme.count)
      .split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, let store = StoreID(String(parts[0])), !parts[1].isEmpty,
      let key = Self.key(parts[2])
    else { return nil }
    self.init(store: store, entity: String(parts[1]), key: key)
  }

  /// Parses a key, which has exactly one valid form: no sign and no leading zeros.
  private static func key(_ text: Substring) -> Int64? {
    guard text.utf8.first == UInt8(ascii: "p"),
      let first = text.utf8.dropFirst().first, first != UInt8(ascii: "0"),
      text.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int64(text.dropFirst())
  }

  /// The text form.
  package var description: String { "\(Self.scheme)\(store)/\(entity)/p\(key)" }
}

extension UUID {
  /// Parses a text form of 36 characters, in upper or lower case; returns `nil` for any other text.
  ///
  /// `UUID(uuidString:)` skips characters that it cannot parse: a space in place of a digit yields
  /// a different UUID.
  package init?(exactly text: String) {
    guard let uuid = UUID(uuidString: text), uuid.uuidString == text.uppercased() else {
      return nil
    }
    self = uuid
  }
}
