import HistoryStore
import PersistentHistory

extension HistoryTracker {
  /// Tells observers about the transactions of a page, then asks the merge hooks.
  ///
  /// - Returns: whether a merge hook has finished the merge.
  /// - Throws: ``HistoryError/hookFailed(_:why:)`` unless the hook that threw is skipped.
  func callHooks(
    _ transactions: [HistoryTransaction],
    _ report: inout PassReport
  ) async throws(HistoryError) -> Bool {
    guard let first = transactions.first else { return false }
    try await tellObservers(transactions, &report)
    let input = MergeHookInput(transactions: transactions, contexts: contexts, actor: member)
    for hook in hooks.mergeHooks where hooks.hasMergeHook(hook.id) {
      let answer = await call(hook.id) { try await hook.callback(input) }
      switch answer {
      case .success(.goOn): continue
      case .success(.finish): return true
      case .failure(let error):
        try note(error, hook.id, "merge", hook.policy, first.number, &report)
      }
    }
    return false
  }

  private func tellObservers(
    _ transactions: [HistoryTransaction],
    _ report: inout PassReport
  ) async throws(HistoryError) {
    guard !hooks.observers.isEmpty else { return }
    var groups = ObserverGroups(
      hooks.observers.map(\.kind),
      entityCount: store.model.entities.count
    )
    for transaction in transactions {
      for group in groups.groups(of: transaction) {
        try await tell(group, of: transaction, &report)
      }
    }
  }

  /// Tells one group to its observers, in the order of their registration.
  private func tell(
    _ group: ObserverGroup,
    of transaction: HistoryTransaction,
    _ report: inout PassReport
  ) async throws(HistoryError) {
    let contexts = group.changes.map { index in
      HookContext(
        change: HistoryChange(page: transaction.page, index: index),
        transaction: transaction,
        actor: member
      )
    }
    for id in hooks.observers(awaiting: group) {
      // An observer may have been removed by one that was told before it.
      guard let observer = hooks.observer(id) else { continue }
      let answer = await call(id) { try await observer.callback(contexts) }
      if case .failure(let error) = answer {
        try note(error, id, observer.name, observer.policy, transaction.number, &report)
      }
      hooks.noteTold(id, group.position)
    }
  }

  /// Calls a hook, and lets what it calls know that.
  private func call<Answer: Sendable>(
    _ hook: HookID,
    _ body: () async throws -> Answer
  ) async -> Result<Answer, any Error> {
    hookCallCount += 1
    let call = HookCall(tracker: ObjectIdentifier(self), number: hookCallCount)
    hookCall = call
    defer { hookCall = nil }
    do {
      let answer = try await HookCall.$current.withValue(call) { try await body() }
      troubles.forget(hook)
      return .success(answer)
    } catch {
      return .failure(error)
    }
  }

  /// Reports that a hook threw, and fails the pass if the hook's policy says so.
  private func note(
    _ error: any Error,
    _ hook: HookID,
    _ name: String,
    _ policy: HookFailurePolicy,
    _ transaction: Int64,
    _ report: inout PassReport
  ) throws(HistoryError) {
    let trouble = troubles.note(hook, at: configuration.clock.now())
    let failure = HookFailure(
      hook: hook,
      name: name,
      policy: policy,
      transaction: transaction,
      reason: String(describing: error),
      attemptCount: trouble.attemptCount,
      lasting: trouble.lasting
    )
    report.hookFailures.append(failure)
    log.event(policy == .skip ? .error : .fault, "\(failure)")
    if policy == .stop { stop() }
    if policy != .skip { throw .hookFailed(name, why: failure.reason) }
  }

  /// Refuses what waits for the end of a pass to a hook that the pass waits for.
  func refuseInsideHook() throws(HistoryError) {
    if let hookCall, HookCall.current == hookCall { throw .insideHook(member) }
  }
}
