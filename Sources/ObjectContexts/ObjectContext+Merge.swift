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
  /// - Complexity: proportional to the changes, and one statement for the objects of an entity whose rows are
  ///   older than their newest change.
  @discardableResult
  public func merge(
    _ transactions: some Sequence<HistoryTransaction>
  ) throws(HistoryError) -> MergeDelta {
    let merges = store.configuration.rules.merges
    return try state.withLock { state throws(HistoryError) in
      var changes = MergedChanges(entityCount: state.tables.count)
      for transaction in transactions where merges(transaction.record.writer, writer.rawValue) {
        changes.note(transaction, in: state)
      }
      return try apply(changes.net(), to: &state)
    }
  }

  private func apply(
    _ changes: [[MergedChange]],
    to state: inout ContextState
  ) throws(HistoryError) -> MergeDelta {
    var delta = MergeDelta()
    let stale = changes.map { $0.filter { $0.effect != .delete }.map(\.key) }
    let gone = try refresh(sortedKeys: stale, in: &state)
    for (offset, changes) in changes.enumerated() {
      for change in changes {
        let id = ObjectID(entity: Int32(offset + 1), key: change.key)
        switch change.effect {
        case .update where gone.isEmpty || !gone.contains(id): delta.updated.append(id)
        case .insert: if gone.isEmpty || !gone.contains(id) { delta.inserted.append(id) }
        case .update: delta.deleted.append(id)
        case .delete: if state.forget(id) { delta.deleted.append(id) }
        }
      }
    }
    return delta
  }
}
