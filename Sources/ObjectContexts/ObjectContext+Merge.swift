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
    // Before the rows are taken over, so that new ones lie where deleted ones lay.
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
  /// Notes what was brought into the context, and which of it was gone already.
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
  /// The rows that are to be read again.
  fileprivate var rowsToRead: [RowToRead] {
    var rows: [RowToRead] = []
    rows.reserveCapacity(count)
    for change in self where change.effect != .delete {
      rows.append(RowToRead(key: change.key, place: Int(change.place)))
    }
    return rows
  }
}
