public import HistoryTypes

/// The name of an actor of a plan, which is a member of the store.
public typealias ActorID = MemberID

/// The name of an object in a plan: its entity and a key from the plan.
///
/// A plan never depends on the keys that a system assigns to objects. `ObjectName("Item", 1)` is
/// written as `Item/1`.
public struct ObjectName: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The entity's name.
  public let entity: String
  /// The object's key in the plan.
  public let key: Int64

  /// Creates a name, such as `ObjectName("Item", 1)`.
  public init(_ entity: String, _ key: Int64) {
    self.entity = entity
    self.key = key
  }

  /// Parses `Entity/key`, or returns `nil`.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, let key = Int64(parts[1]) else { return nil }
    self.init(String(parts[0]), key)
  }

  /// The name as plans and traces write it.
  public var description: String { "\(entity)/\(key)" }

  /// Orders names by entity, then by key.
  public static func < (left: ObjectName, right: ObjectName) -> Bool {
    left.entity == right.entity ? left.key < right.key : left.entity < right.entity
  }
}

/// The values of one object, by attribute name.
public typealias Values = [String: Value]

/// Objects by name, such as the rows of the store, or the objects that one context has loaded.
public typealias Objects = [ObjectName: Values]

/// The name of a transaction, chosen by the system: an opaque string, unique within a plan.
public typealias TransactionName = String
