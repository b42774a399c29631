package import PersistentHistory

/// By which attribute objects are sorted, and which way (Core Data: `NSSortDescriptor`).
///
/// Null comes first going up, text and bytes go byte by byte; where all attributes are equal, by key.
public struct ObjectOrder: Sendable, Hashable {
  /// The attribute.
  public var attribute: String
  /// Whether small values come first.
  public var isAscending: Bool

  /// Creates an order that goes up or down.
  public init(_ attribute: String, isAscending: Bool = true) {
    self.attribute = attribute
    self.isAscending = isAscending
  }

  /// From small to large.
  public static func ascending(_ attribute: String) -> ObjectOrder { ObjectOrder(attribute) }

  /// From large to small.
  public static func descending(_ attribute: String) -> ObjectOrder {
    ObjectOrder(attribute, isAscending: false)
  }
}

/// Which objects are read, and in which order.
package struct ObjectQuery: Sendable {
  package var predicate: ObjectPredicate?
  package var orders: [ObjectOrder] = []
  /// How many at most; nothing for all.
  package var limit: Int?
  /// How many are passed over first.
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

  /// Whether one row comes before another in the order asked for.
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

  /// The order in SQL.
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
