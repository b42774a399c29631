package import HistoryStore
package import PersistentHistory

extension TrackerCore {
  /// Registers an observer after the others.
  ///
  /// - Throws: ``HistoryError/unknownEntity(_:)`` if the model has no such entity.
  package func addObserver(
    entity: String,
    operation: ChangeType,
    onFailure policy: HookFailurePolicy
  ) throws(HistoryError) -> HookID {
    let kind = try kind(entity, operation)
    return hooks.addObserver(of: kind, named: "\(operation) of \(entity)", policy)
  }

  /// Registers a merge hook before `other`, or after all others if `other` is `nil`.
  ///
  /// - Throws: ``HistoryError/unknownHook(_:)`` if `other` is not registered.
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

  /// Removes the observers of one operation on an entity's objects, and returns their identities.
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
