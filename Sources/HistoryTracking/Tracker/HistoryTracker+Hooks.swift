public import HistoryStore
public import PersistentHistory

extension HistoryTracker {
  /// Registers an observer, which is told what others did to the objects of an entity before that is
  /// merged.
  ///
  /// It is called once for each group of changes of one transaction, entity and operation; the groups of
  /// a transaction come in the order of their first changes, and the observers of a group in the order
  /// of their registration. It is told each group once, and again after a crash or a failed pass:
  /// ``HookContext/key-swift.property`` tells repetitions.
  ///
  /// ```swift
  /// try await tracker.registerObserver(entity: "Item", operation: .delete) { group in
  ///   for context in group { try await index.remove(context.objectIDURL) }
  /// }
  /// ```
  ///
  /// - Throws: ``HistoryError/unknownEntity(_:)``.
  @discardableResult
  public func registerObserver(
    entity: String,
    operation: ChangeType,
    onFailure policy: HookFailurePolicy = .retry,
    callback: @escaping HookCallback
  ) throws(HistoryError) -> HookID {
    let id = try core.addObserver(entity: entity, operation: operation, onFailure: policy)
    observers[id] = callback
    return id
  }

  /// Removes an observer; what it was waiting for is not told to it any more.
  ///
  /// - Returns: whether it was registered.
  @discardableResult
  public func removeObserver(id: HookID) -> Bool {
    observers[id] = nil
    return core.removeObserver(id)
  }

  /// Removes the observers of one operation on the objects of an entity.
  ///
  /// - Throws: ``HistoryError/unknownEntity(_:)``.
  public func removeObserver(entity: String, operation: ChangeType) throws(HistoryError) {
    for id in try core.removeObservers(entity: entity, operation: operation) { observers[id] = nil }
  }

  /// Removes every observer.
  public func removeAllObservers() {
    core.hooks.removeAllObservers()
    observers.removeAll()
  }

  /// Registers a merge hook behind the others, or before one of them.
  ///
  /// Before the transactions of a page are merged, each hook is asked in turn, until one finishes. One
  /// that throws is asked again with the same transactions, and so are those before it.
  ///
  /// - Throws: ``HistoryError/unknownHook(_:)`` when the hook that it should come before is not
  ///   registered.
  @discardableResult
  public func registerMergeHook(
    before other: HookID? = nil,
    onFailure policy: HookFailurePolicy = .retry,
    callback: @escaping MergeHookCallback
  ) throws(HistoryError) -> HookID {
    let id = try core.addMergeHook(before: other, onFailure: policy)
    mergeHooks[id] = callback
    return id
  }

  /// Removes a merge hook.
  ///
  /// - Returns: whether it was registered.
  @discardableResult
  public func removeMergeHook(id: HookID) -> Bool {
    mergeHooks[id] = nil
    return core.removeMergeHook(id)
  }

  /// Removes every merge hook.
  public func removeAllMergeHooks() {
    core.hooks.removeAllMergeHooks()
    mergeHooks.removeAll()
  }
}
