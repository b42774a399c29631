public import HistoryStore
public import PersistentHistory

/// What a merge changed in a context (Core Data: the keys of
/// `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`).
public struct MergeDelta: Sendable, Hashable {
  /// Objects that the context did not know.
  public internal(set) var inserted: [ObjectID] = []
  /// Objects whose rows were read anew.
  public internal(set) var updated: [ObjectID] = []
  /// Objects that the context forgot.
  public internal(set) var deleted: [ObjectID] = []
}

extension ObjectContext {
  /// Brings the changes of some transactions into the context.
  ///
  /// What they changed is read anew, each object once, however many transactions changed it. Unsaved
  /// edits stay on top; those of an object that was deleted are forgotten with it.
  ///
  /// Transactions that the context saved itself change nothing. Merging what the view already holds
  /// changes nothing either, so a merge may be repeated.
  ///
  /// - Throws: ``HistoryError/sqlite(_:)``; the context is as before then.
  /// - Complexity: O(n log n) in the changes, and one statement for many of the objects whose rows are
  ///   older than their newest change.
  @discardableResult
  public func merge(
    _ transactions: some Sequence<HistoryTransaction>
  ) throws(HistoryError) -> MergeDelta {
    let merges = store.configuration.rules.merges
    return try state.withLock { state throws(HistoryError) in
      var changes = MergedChanges()
      for transaction in transactions where merges(transaction.record.writer, writer.rawValue) {
        changes.note(transaction, in: state)
      }
      return try apply(changes.net(), to: &state)
    }
  }

  private func apply(
    _ changes: [MergedChange],
    to state: inout ContextState
  ) throws(HistoryError) -> MergeDelta {
    var delta = MergeDelta()
    try refresh(changes.lazy.filter { $0.effect != .delete }.map(\.id), in: &state)
    for change in changes {
      let id = change.id
      switch change.effect {
      case .update: delta.note(id, isKnown: state.isRegistered(id))
      case .insert: if state.isRegistered(id) { delta.inserted.append(id) }
      case .delete:
        if state.isRegistered(id) { delta.deleted.append(id) }
        state.forget(id)
      }
    }
    return delta
  }
}

extension MergeDelta {
  /// Notes an object that was known before, and is known still or not any more.
  fileprivate mutating func note(_ id: ObjectID, isKnown: Bool) {
    if isKnown { updated.append(id) } else { deleted.append(id) }
  }
}
