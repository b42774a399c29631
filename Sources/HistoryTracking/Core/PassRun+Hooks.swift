package import HistoryStore
package import HistoryTypes

/// A hook whose call is in progress.
struct CalledHook {
  let id: HookID
  let name: String
  let policy: HookFailurePolicy
  /// The number of the first transaction passed to the hook.
  let transaction: Int64
  /// The position of the group of changes passed to an observer; `nil` for a merge hook.
  let position: GroupPosition?
}

/// The progress of the hook calls for one page of history: first observers, then merge hooks.
///
/// In each call, an observer receives one group of changes: one transaction's changes of one entity
/// and operation. A merge hook receives all transactions of the page that are to be merged.
struct HookCalls {
  let transactions: [HistoryTransaction]
  private var groups: ObserverGroups?
  private var transactionIndex = 0
  private var waiting: ArraySlice<ObserverGroup> = []
  private var transaction: HistoryTransaction?
  private var observers: ArraySlice<HookID> = []
  private var group: ObserverGroup?
  private var contexts: [HookContext] = []
  private var mergeHooks: ArraySlice<HookRegistry.MergeHook>

  init(_ transactions: [HistoryTransaction], _ core: TrackerCore) {
    self.transactions = transactions
    mergeHooks = transactions.isEmpty ? [] : core.hooks.mergeHooks[...]
    guard !core.hooks.observers.isEmpty else { return }
    groups = ObserverGroups(
      core.hooks.observers.map(\.kind),
      entityCount: core.store.model.entities.count
    )
  }

  /// Returns the next observer to call and its group of changes, or `nil` after the last.
  ///
  /// The observers of a group are returned in registration order.
  mutating func nextObserver(_ core: TrackerCore) -> (CalledHook, [HookContext])? {
    while groups != nil {
      while let id = observers.popFirst() {
        // An observer that was called earlier in this pass may have removed this observer.
        guard let observer = core.hooks.observer(id), let group else { continue }
        let called = CalledHook(
          id: id,
          name: observer.name,
          policy: observer.policy,
          transaction: group.position.number,
          position: group.position
        )
        return (called, contexts)
      }
      if let next = waiting.popFirst(), let transaction {
        begin(next, of: transaction, core)
      } else if transactionIndex < transactions.count {
        let next = transactions[transactionIndex]
        transactionIndex += 1
        transaction = next
        waiting = (groups?.groups(of: next) ?? [])[...]
      } else {
        groups = nil
      }
    }
    return nil
  }

  private mutating func begin(
    _ group: ObserverGroup,
    of transaction: HistoryTransaction,
    _ core: TrackerCore
  ) {
    self.group = group
    observers = core.hooks.observers(awaiting: group)[...]
    contexts = group.changes.map { index in
      HookContext(
        change: HistoryChange(page: transaction.page, index: index),
        transaction: transaction,
        member: core.member
      )
    }
  }

  /// Returns the next merge hook to call that is still registered, or `nil` after the last.
  mutating func nextMergeHook(_ core: TrackerCore) -> CalledHook? {
    while let hook = mergeHooks.popFirst() {
      guard core.hooks.hasMergeHook(hook.id), let first = transactions.first else { continue }
      return CalledHook(
        id: hook.id,
        name: "merge",
        policy: hook.policy,
        transaction: first.number.rawValue,
        position: nil
      )
    }
    return nil
  }
}

extension PassRun {
  /// Returns the next hook call of the page, or `nil` after the last.
  mutating func nextHook() -> Call? {
    if let (called, contexts) = calls?.nextObserver(core) {
      hook = called
      return .observer(called.id, contexts)
    }
    guard let called = calls?.nextMergeHook(core), let calls else { return nil }
    hook = called
    return .mergeHook(
      called.id,
      MergeHookInput(
        transactions: calls.transactions,
        contexts: core.contexts,
        member: core.member
      )
    )
  }

  /// Finishes a hook call; `answer` is the result, from the code that performed the call.
  ///
  /// - Returns: `true` if a merge hook has merged the transactions itself.
  /// - Throws: ``HistoryError/Code/hookFailed`` if the hook threw, unless its policy is `.skip`.
  mutating func take(_ answer: Answer, of hook: CalledHook) throws(HistoryError) -> Bool {
    if case .failed(let error) = answer {
      try note(error, of: hook)
    } else {
      core.hookFailures.forget(hook.id)
    }
    if let position = hook.position { core.hooks.noteCalled(hook.id, position) }
    if case .finish = answer { return true }
    return false
  }

  /// Reports that a hook threw, and throws unless the hook's policy is `.skip`.
  private mutating func note(_ error: any Error, of hook: CalledHook) throws(HistoryError) {
    let streak = core.hookFailures.note(hook.id, at: core.configuration.clock.now())
    let failure = HookFailure(
      hook: hook.id,
      name: hook.name,
      policy: hook.policy,
      transaction: TransactionNumber(hook.transaction),
      reason: String(describing: error),
      attemptCount: streak.attemptCount,
      lasting: streak.lasting
    )
    report.hookFailures.append(failure)
    core.log.write(hook.policy == .skip ? .error : .critical, "\(failure)")
    stopsTracker = hook.policy == .stop
    if hook.policy != .skip { throw .hookFailed(hook.name, why: failure.reason) }
  }
}

extension TrackerCore {
  /// Registers an observer after all registered observers.
  ///
  /// - Throws: ``HistoryError/Code/unknownEntity`` if the model has no such entity.
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
  /// - Throws: ``HistoryError/Code/unknownHook`` if `other` is not registered.
  package func addMergeHook(
    before other: HookID? = nil,
    onFailure policy: HookFailurePolicy
  ) throws(HistoryError) -> HookID {
    try hooks.addMergeHook(before: other, policy)
  }

  /// Removes an observer, and returns whether it was registered.
  func removeObserver(_ id: HookID) -> Bool {
    hookFailures.forget(id)
    return hooks.removeObserver(id)
  }

  /// Removes a merge hook, and returns whether it was registered.
  func removeMergeHook(_ id: HookID) -> Bool {
    hookFailures.forget(id)
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
    guard let number = store.model.number(of: entity) else {
      throw .unknownEntity(entity, in: store.model)
    }
    return ObservedKind(entity: number, operation: operation)
  }
}
