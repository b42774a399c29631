public import HistoryStore
public import HistoryTypes

extension HistoryTracker {
  /// Registers an observer, which receives changes to an entity's objects before they are merged.
  ///
  /// The observer is called once for each group of changes of one transaction, entity and
  /// operation. The groups of a transaction come in the order of their first changes, and the
  /// observers of a group are called in registration order. Each group is delivered once, and again
  /// if the call threw and is retried, or after a restart before the cursor was recorded; use
  /// ``HookContext/key-swift.property`` to recognize repetitions.
  ///
  /// ```swift
  /// try await tracker.registerObserver(entity: "Item", operation: .delete) { group in
  ///   for context in group { try await index.remove(context.objectIDURL) }
  /// }
  /// ```
  ///
  /// - Throws: ``HistoryError/Code/unknownEntity`` if the model has no such entity.
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

  /// Removes an observer, which also receives no pending changes.
  ///
  /// - Returns: Whether it was registered.
  @discardableResult
  public func removeObserver(id: HookID) -> Bool {
    observers[id] = nil
    return core.removeObserver(id)
  }

  /// Removes the observers of one operation on the objects of an entity.
  ///
  /// - Throws: ``HistoryError/Code/unknownEntity`` if the model has no such entity.
  public func removeObserver(entity: String, operation: ChangeType) throws(HistoryError) {
    for id in try core.removeObservers(entity: entity, operation: operation) { observers[id] = nil }
  }

  /// Removes every observer.
  public func removeAllObservers() {
    core.hooks.removeAllObservers()
    observers.removeAll()
  }

  /// Registers a merge hook before `other`, or after all others if `other` is `nil`.
  ///
  /// The hooks are called in order before the transactions of a page are merged, until one returns
  /// `.finish`. After a hook throws, that hook and those before it are called again with the same
  /// transactions.
  ///
  /// - Throws: ``HistoryError/Code/unknownHook`` if `other` is not registered.
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
  /// - Returns: Whether it was registered.
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
