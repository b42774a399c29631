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
  /// - Complexity: linear in the changes, and one query for each object whose row is older than its
  ///   newest change.
  @discardableResult
  public func merge(
    _ transactions: some Sequence<HistoryTransaction>
  ) throws(HistoryError) -> MergeDelta {
    let merges = store.configuration.rules.merges
    return try state.withLock { state throws(HistoryError) in
      var wanted: [ObjectID: ChangeType] = [:]
      for transaction in transactions where merges(transaction.record.writer, writer.rawValue) {
        note(transaction, in: &wanted, state)
      }
      return try apply(wanted, to: &state)
    }
  }

  /// Notes what must be read anew or forgotten because of one transaction.
  private func note(
    _ transaction: HistoryTransaction,
    in wanted: inout [ObjectID: ChangeType],
    _ state: ContextState
  ) {
    let record = transaction.record
    for index in record.firstChange..<record.firstChange + record.count {
      let change = transaction.page.changeRecords[index]
      guard change.entity > 0, change.entity <= Int32(state.tables.count) else { continue }
      let known = state[table: change.entity].version(of: change.key)
      switch change.type {
      case .insert where known == nil: wanted[change.objectID] = .insert
      case .update where wanted[change.objectID] == nil:
        // A row that was written by this transaction or a later one is not read again.
        if let known, known < record.number { wanted[change.objectID] = .update }
      case .delete: wanted[change.objectID] = .delete
      case .insert, .update: break
      }
    }
  }

  private func apply(
    _ wanted: [ObjectID: ChangeType],
    to state: inout ContextState
  ) throws(HistoryError) -> MergeDelta {
    var delta = MergeDelta()
    let before = wanted.filter { state[table: $0.key.entity].slots[$0.key.key] != nil }
    try refresh(wanted.filter { $0.value != .delete }.map(\.key), in: &state)
    for (id, type) in wanted where type == .delete { state.forget(id) }
    for id in wanted.keys.sorted() {
      let isKnown = state[table: id.entity].slots[id.key] != nil
      switch (before[id] != nil, isKnown) {
      case (false, true): delta.inserted.append(id)
      case (true, true): delta.updated.append(id)
      case (true, false): delta.deleted.append(id)
      case (false, false): break
      }
    }
    return delta
  }
}
