public import HistoryStore
public import PersistentHistory

extension ObjectContext {
  /// Reads an object again from the store.
  ///
  /// Its edits stay on top, unless `keepingEdits` is `false`. An object that is no longer in the
  /// store is removed from the context, unless it is an unsaved insert.
  ///
  /// Core Data: `NSManagedObjectContext.refresh(_:mergeChanges:)`.
  ///
  /// - Throws: ``HistoryError/unknownObject(_:)`` if the model has no such entity, or
  ///   ``HistoryError/sqlite(_:)``.
  /// - Complexity: one query of one row.
  public func refresh(_ id: ObjectID, keepingEdits: Bool = true) throws(HistoryError) {
    guard store.model.entity(id.entity) != nil else { throw .unknownObject(id) }
    try state.withLock { state throws(HistoryError) in
      if state.edits[id]?.type != .insert { try refresh(CollectionOfOne(id), in: &state) }
      if !keepingEdits { state.forgetEdits(of: id) }
    }
  }

  /// Reads all registered objects again, from one snapshot of the store; edits stay on top.
  ///
  /// Core Data: `NSManagedObjectContext.refreshAllObjects()`.
  ///
  /// - Complexity: one statement for each entity.
  public func refreshAll() throws(HistoryError) {
    try state.withLock { state throws(HistoryError) in
      try refresh(state.registeredIDs, in: &state)
    }
  }
}

extension ContextState {
  /// The identities of all registered objects, edited or not.
  fileprivate var registeredIDs: [ObjectID] {
    tables.enumerated().flatMap { offset, table in
      table.slots.keys.map { ObjectID(entity: Int32(offset + 1), key: $0) }
    }
  }
}
