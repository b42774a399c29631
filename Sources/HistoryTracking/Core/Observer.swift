import PersistentHistory

/// The kind of change that an observer receives: one operation on the objects of one entity.
struct ObservedKind: Hashable, Sendable {
  /// The entity's number in the model.
  let entity: Int32
  let operation: ChangeType

  /// The index of the kind in a flat table.
  var place: Int { (Int(entity) - 1) * ChangeType.allCases.count + Int(operation.rawValue) }
}

/// The position of a group of changes in history.
struct GroupPosition: Comparable, Sendable {
  /// The number of the transaction.
  let number: Int64
  /// The index of the group's first change within the transaction.
  let place: Int

  static func < (left: GroupPosition, right: GroupPosition) -> Bool {
    (left.number, left.place) < (right.number, right.place)
  }
}

/// A registered observer.
struct Observer: Sendable {
  let id: HookID
  let kind: ObservedKind
  /// A description of the kind, such as `insert of Item`.
  let name: String
  let policy: HookFailurePolicy
  /// The last group that the observer was called with; a repeated pass skips it.
  var calledThrough: GroupPosition?

  /// Returns whether the observer has not been called with a group yet.
  func awaits(_ position: GroupPosition) -> Bool {
    calledThrough.map { $0 < position } ?? true
  }
}
