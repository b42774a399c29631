public import HistoryStore
public import PersistentHistory

/// The changes that a merge made to a context.
///
/// Core Data: the keys of `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`.
public struct MergeDelta: Sendable, Hashable {
  /// The objects that the context newly registered.
  public internal(set) var inserted: [ObjectID] = []
  /// The objects whose rows were read again.
  public internal(set) var updated: [ObjectID] = []
  /// The objects that were removed from the context.
  public internal(set) var deleted: [ObjectID] = []
}

extension ObjectContext {
  /// Merges the changes of transactions into the context.
  ///
  /// Changed objects are read again from the store, each once regardless of the number of
  /// transactions. Unsaved edits stay on top; the edits of a deleted object are discarded.
  ///
  /// Transactions that the context saved itself are skipped. Merging the same transactions again
  /// has no effect.
  ///
  /// - Throws: ``HistoryError/sqlite(_:)``; the context is unchanged then.
  /// - Complexity: proportional to the number of changes, and one statement for each entity with
  ///   rows older than their newest change.
  @discardableResult
  public func merge(
    _ transactions: some Sequence<HistoryTransaction>
  ) throws(HistoryError) -> MergeDelta {
    try state.withLock { state throws(HistoryError) in
      var changes = MergedChanges(entityCount: state.tables.count)
      for transaction in transactions where transaction.record.writer != writer.rawValue {
        changes.note(transaction, in: state)
      }
      return try apply(changes.net(), to: &state)
    }
  }

  private func apply(
    _ changes: [[MergedChange]],
    to state: inout ContextState
  ) throws(HistoryError) -> MergeDelta {
    let wanted = changes.map(\.rowsToRead)
    let read = try store.rows(beside: state.known(wanted))
    var delta = MergeDelta()
    // Remove deleted rows first, so that new rows reuse their slots.
    for (offset, changes) in changes.enumerated() {
      for change in changes where change.effect == .delete {
        let id = ObjectID(entity: Int32(offset + 1), key: change.key)
        if state.forget(id) { delta.deleted.append(id) }
      }
    }
    let gone = state.take(read, wanted)
    for (offset, changes) in changes.enumerated() {
      delta.note(changes, of: Int32(offset + 1), gone: gone)
    }
    return delta
  }
}

extension MergeDelta {
  /// Adds the applied changes of one entity; objects in `gone` no longer exist in the store.
  fileprivate mutating func note(_ changes: [MergedChange], of entity: Int32, gone: Set<ObjectID>) {
    for change in changes where change.effect != .delete {
      let id = ObjectID(entity: entity, key: change.key)
      let isHere = gone.isEmpty || !gone.contains(id)
      switch change.effect {
      case .insert: if isHere { inserted.append(id) }
      case .update: if isHere { updated.append(id) } else { deleted.append(id) }
      case .delete: break
      }
    }
  }
}

extension [MergedChange] {
  /// The rows to read again.
  fileprivate var rowsToRead: [RowToRead] {
    var rows: [RowToRead] = []
    rows.reserveCapacity(count)
    for change in self where change.effect != .delete {
      rows.append(RowToRead(key: change.key, place: Int(change.place)))
    }
    return rows
  }
}
