package import HistoryStore
package import PersistentHistory

extension TrackerCore {
  /// Registers an observer behind the others.
  ///
  /// - Throws: ``HistoryError/unknownEntity(_:)``.
  package func addObserver(
    entity: String,
    operation: ChangeType,
    onFailure policy: HookFailurePolicy
  ) throws(HistoryError) -> HookID {
    let kind = try kind(entity, operation)
    return hooks.addObserver(of: kind, named: "\(operation) of \(entity)", policy)
  }

  /// Registers a merge hook behind the others, or before one of them.
  ///
  /// - Throws: ``HistoryError/unknownHook(_:)`` when the other one is not registered.
  package func addMergeHook(
    before other: HookID? = nil,
    onFailure policy: HookFailurePolicy
  ) throws(HistoryError) -> HookID {
    try hooks.addMergeHook(before: other, policy)
  }

  /// Removes an observer, and returns whether it was registered.
  func removeObserver(_ id: HookID) -> Bool {
    troubles.forget(id)
    return hooks.removeObserver(id)
  }

  /// Removes a merge hook, and returns whether it was registered.
  func removeMergeHook(_ id: HookID) -> Bool {
    troubles.forget(id)
    return hooks.removeMergeHook(id)
  }

  /// Removes the observers of one operation on the objects of an entity, and returns which those were.
  func removeObservers(
    entity: String,
    operation: ChangeType
  ) throws(HistoryError) -> [HookID] {
    hooks.removeObservers(of: try kind(entity, operation))
  }

  private func kind(
    _ entity: String,
    _ operation: ChangeType
  ) throws(HistoryError) -> ObservedKind {
    guard let number = store.model.number(of: entity) else { throw .unknownEntity(entity) }
    return ObservedKind(entity: number, operation: operation)
  }
}
