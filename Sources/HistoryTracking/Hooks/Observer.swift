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
  let callback: HookCallback
  /// The last group that it was told; a pass that is repeated does not tell it again.
  var toldThrough: GroupPosition?

  /// Whether it has not been told a group yet.
  func awaits(_ position: GroupPosition) -> Bool {
    toldThrough.map { $0 < position } ?? true
  }
}
