public import HistoryStore
public import PersistentHistory

extension ObjectContext {
  /// Reads an object anew from the store (Core Data: `NSManagedObjectContext.refresh(_:mergeChanges:)`).
  ///
  /// Its edits stay on top, or are forgotten with `keepingEdits: false`. An object that is gone from the
  /// store is gone here too, unless it is inserted here and not saved yet.
  ///
  /// - Complexity: one query of one row.
  public func refresh(_ id: ObjectID, keepingEdits: Bool = true) throws(HistoryError) {
    guard store.model.entity(id.entity) != nil else { throw .unknownObject(id) }
    try state.withLock { state throws(HistoryError) in
      if state.edits[id]?.type != .insert { try refresh(CollectionOfOne(id), in: &state) }
      if !keepingEdits { state.forgetEdits(of: id) }
    }
  }

  /// Reads every object that the context knows anew, all at one moment
  /// (Core Data: `NSManagedObjectContext.refreshAllObjects()`); edits stay on top.
  ///
  /// - Complexity: one statement for many rows.
  public func refreshAll() throws(HistoryError) {
    try state.withLock { state throws(HistoryError) in
      try refresh(state.registeredIDs, in: &state)
    }
  }
}

extension ContextState {
  /// Every object that is registered, edited or not.
  fileprivate var registeredIDs: [ObjectID] {
    tables.enumerated().flatMap { offset, table in
      table.slots.keys.map { ObjectID(entity: Int32(offset + 1), key: $0) }
    }
  }
}
