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
