package import PersistentHistory

/// An attribute to sort objects by, and its direction (Core Data: `NSSortDescriptor`).
///
/// Null comes first in ascending order. Text and data are compared byte by byte. Objects with equal
/// attributes are sorted by key.
public struct ObjectOrder: Sendable, Hashable {
  /// The name of the attribute.
  public var attribute: String
  /// Whether small values come first; the default is `true`.
  public var isAscending: Bool

  /// Creates an ascending or descending order.
  public init(_ attribute: String, isAscending: Bool = true) {
    self.attribute = attribute
    self.isAscending = isAscending
  }

  /// Returns an order from small to large values.
  public static func ascending(_ attribute: String) -> ObjectOrder { ObjectOrder(attribute) }

  /// Returns an order from large to small values.
  public static func descending(_ attribute: String) -> ObjectOrder {
    ObjectOrder(attribute, isAscending: false)
  }
}

/// The objects to read, and their order.
package struct ObjectQuery: Sendable {
  package var predicate: ObjectPredicate?
  package var orders: [ObjectOrder] = []
  /// The maximum number of objects; `nil` reads all.
  package var limit: Int?
  /// The number of objects to skip first.
  package var offset = 0

  package init(
    _ predicate: ObjectPredicate? = nil,
    sortedBy orders: [ObjectOrder] = [],
    limit: Int? = nil,
    offset: Int = 0
  ) {
    self.predicate = predicate
    self.orders = orders
    self.limit = limit.map { max($0, 0) }
    self.offset = max(offset, 0)
  }

  /// Returns whether one row comes before another in the requested order.
  package func precedes(
    _ left: (key: Int64, row: ArraySlice<Value>),
    _ right: (key: Int64, row: ArraySlice<Value>),
    in entity: Entity
  ) -> Bool {
    for order in orders {
      guard let index = entity.index(of: order.attribute) else { continue }
      let result = left.row[left.row.startIndex + index]
        .order(to: right.row[right.row.startIndex + index])
      if result != 0 { return (result < 0) == order.isAscending }
    }
    return left.key < right.key
  }

  /// Returns the order as SQL.
  func orderSQL(of entity: Entity) throws(HistoryError) -> String {
    var sql = ""
    for order in orders {
      guard entity.index(of: order.attribute) != nil else {
        throw .unknownAttribute(entity: entity.name, attribute: order.attribute)
      }
      sql += "\"\(order.attribute)\" \(order.isAscending ? "ASC" : "DESC"), "
    }
    return sql + "_key"
  }
}
