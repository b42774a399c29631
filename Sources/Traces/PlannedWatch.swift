internal import HistoryTypes

/// A live query of objects, which an actor's view context starts and then keeps current.
///
/// The live query ends with the actor's process.
package struct PlannedWatch: Hashable, Sendable {
  package var actor: ActorID
  package var entity: String
  /// The conditions on the objects, all of which must hold.
  package var conditions: [PlannedCondition]
  /// The sort orders; objects with equal sort values are in the order of their keys.
  package var orders: [PlannedOrder]
  /// The maximum number of objects; `nil` for all.
  package var limit: Int?

  /// The maximum number of live queries of one process; a further one ends the oldest.
  package static let countMax = 2

  package init(
    actor: ActorID,
    entity: String,
    conditions: [PlannedCondition] = [],
    orders: [PlannedOrder] = [],
    limit: Int? = nil
  ) {
    self.actor = actor
    self.entity = entity
    self.conditions = conditions
    self.orders = orders
    self.limit = limit
  }
}

/// A report of a live query: its result, and how the result differs from the previous one.
///
/// The result in the report is a copy that starts empty and changes only by the reported
/// differences, like a list in an app. A wrong difference therefore makes the copy wrong.
package struct LiveReport: Hashable, Sendable {
  /// The number of the live query among those that its process has started, counted from 1.
  package var list: Int
  /// The objects of the result, in order.
  package var rows: [ListedRow]
  /// The positions, in the previous result, of the removed objects.
  package var removed: [Int]
  /// The positions, in this result, of the inserted objects.
  ///
  /// An object that moved counts as removed and inserted.
  package var inserted: [Int]
  /// The objects that are in this result and in the previous one, and whose values changed.
  package var updated: [ObjectName]
  /// The error that ended the live query; `nil` if the report is a result.
  package var failure: String?

  package init(
    list: Int,
    rows: [ListedRow] = [],
    removed: [Int] = [],
    inserted: [Int] = [],
    updated: [ObjectName] = [],
    failure: String? = nil
  ) {
    self.list = list
    self.rows = rows
    self.removed = removed
    self.inserted = inserted
    self.updated = updated
    self.failure = failure
  }
}

/// An object in the result of a live query.
package struct ListedRow: Hashable, Sendable {
  /// The object's name in the plan.
  ///
  /// If the plan now uses this name for another object, the key in the name is negative: a name
  /// such as `Item/1` consists of an entity and a key.
  package var object: ObjectName
  /// The object's key in the store, which orders objects with equal sort values.
  package var key: Int64
  /// The values when the object was last inserted into the result or reported as updated.
  package var values: Values

  package init(_ object: ObjectName, key: Int64, _ values: Values) {
    self.object = object
    self.key = key
    self.values = values
  }
}
