import PersistentHistory

/// What an observer watches for: one operation on the objects of one entity.
struct ObservedKind: Hashable, Sendable {
  /// The entity's number in the model.
  let entity: Int32
  let operation: ChangeType

  /// A place for the kind in a flat table.
  var place: Int { (Int(entity) - 1) * ChangeType.allCases.count + Int(operation.rawValue) }
}

/// A place in history between two groups of changes.
struct GroupPosition: Comparable, Sendable {
  /// The transaction.
  let number: Int64
  /// Where the group's first change stands in it.
  let place: Int

  static func < (left: GroupPosition, right: GroupPosition) -> Bool {
    (left.number, left.place) < (right.number, right.place)
  }
}

/// An observer that is registered.
struct Observer: Sendable {
  let id: HookID
  let kind: ObservedKind
  /// The kind in words.
  let name: String
  let policy: HookFailurePolicy
  /// The last group that it was called with; a pass that is repeated does not call it again.
  var calledThrough: GroupPosition?

  /// Whether it has not been called with a group yet.
  func awaits(_ position: GroupPosition) -> Bool {
    calledThrough.map { $0 < position } ?? true
  }
}
