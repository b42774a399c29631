public import HistoryStore
package import HistoryTypes

/// The outcome of a save for one edited object.
package struct SavedEdit: Sendable, Hashable {
  package let id: ObjectID
  package let type: ChangeType
  package let outcome: EditOutcome
}

extension ObjectContext {
  /// Saves the edits as one transaction.
  ///
  /// Core Data: `NSManagedObjectContext.save()`.
  ///
  /// If an object in the store has the same unique values as an inserted object, the store's object
  /// replaces the inserted object in the context, under every merge policy except `error`. A
  /// ``StoredObject`` of the inserted object then reads and edits the store's object, but keeps its old
  /// `id`. Call ``object(_:)`` with the old `id` to get a ``StoredObject`` with the `id` of the store's
  /// object, and pass that `id` to `Value(referringTo:)`: no object in the store has the old `id`. A
  /// ``reset()`` forgets which objects were replaced.
  ///
  /// - Returns: The transaction, or `nil` if the context has no edits, if no edit takes effect, or
  ///   if the store keeps no history.
  /// - Throws: ``HistoryError/Code/conflict`` or ``HistoryError/Code/duplicate`` under the merge policy
  ///   `error`, ``HistoryError/Code/missingValue``, or ``HistoryError/Code/sqlite``; data, history and
  ///   edits are then unchanged.
  /// - Complexity: one statement for each edit, and one query for each object that another context or
  ///   process changed. The history takes about one statement for each 32 KB of changes, or one for each
  ///   change in the layout `coreData`.
  @discardableResult
  public func save() throws(HistoryError) -> WrittenTransaction? {
    try write()?.1.transaction
  }

  /// Saves the edits like ``save()``, with `author` in place of the context's author.
  ///
  /// A `nil` author writes a transaction without an author.
  ///
  /// - Throws: The errors of ``save()``.
  /// - Complexity: that of ``save()``.
  @discardableResult
  public func save(author: String?) throws(HistoryError) -> WrittenTransaction? {
    try write(.some(author))?.1.transaction
  }

  /// Saves the edits like ``save()``, with the given author and name in place of the context's own.
  ///
  /// A `nil` argument writes a transaction without an author or without a context name.
  ///
  /// - Throws: The errors of ``save()``.
  /// - Complexity: that of ``save()``.
  @discardableResult
  public func save(
    author: String?,
    contextName: String?
  ) throws(HistoryError) -> WrittenTransaction? {
    try write(.some(author), .some(contextName))?.1.transaction
  }

  /// Saves the edits like ``save()``; a closure resolves conflicts in place of the merge policy.
  ///
  /// ```swift
  /// try context.save { conflict in
  ///   guard let count = conflict.edited?["count"], conflict.duplicate == nil else { return .keepStored }
  ///   return .write(["count": count])
  /// }
  /// ```
  ///
  /// The closure is called for each edited object that another writer changed, and for each object
  /// that would have the same unique values as another object. It runs inside the transaction, while
  /// other processes cannot write: it must be quick, and must not use the context. The closure is
  /// not called for an object that another writer deleted: the object stays deleted.
  ///
  /// Core Data: `NSMergePolicy.resolve(mergeConflicts:)`.
  ///
  /// - Throws: The errors of ``save()``, and ``HistoryError/Code/stopped`` if the closure throws; data,
  ///   history and edits are then unchanged.
  /// - Complexity: as ``save()``, with one query for each conflict.
  @discardableResult
  public func save(
    resolving closure: (SaveConflict) throws -> ConflictResolution
  ) throws(HistoryError) -> WrittenTransaction? {
    try withoutActuallyEscaping(closure) { closure throws(HistoryError) in
      try saveReporting(policy: .error, resolving: closure).transaction
    }
  }

  /// Saves the edits with optional overrides, and returns the outcome of each edit.
  ///
  /// A `nil` argument uses the context's own author, name and merge policy, and the current time.
  package func saveReporting(
    author: String?? = nil,
    contextName: String?? = nil,
    policy: MergePolicy? = nil,
    begunAt: Date? = nil,
    resolving closure: ((SaveConflict) throws -> ConflictResolution)? = nil
  ) throws(HistoryError) -> (transaction: WrittenTransaction?, edits: [SavedEdit]) {
    guard let (edits, result) = try write(author, contextName, policy, begunAt, closure) else {
      return (nil, [])
    }
    let report = zip(edits, result.outcomes).map {
      SavedEdit(id: $0.id, type: $0.type, outcome: $1)
    }
    return (result.transaction, report)
  }

  /// Saves the edits like ``save()``, but fails if an object refers to one that the save deletes.
  ///
  /// - Throws: ``HistoryError/Code/deleteDenied``, whatever the delete rule of the reference is, and the
  ///   errors of ``save()``.
  package func saveDenyingReferences() throws(HistoryError) {
    _ = try write(deniesReferences: true)
  }

  /// Saves the edits, and returns them with the result; returns `nil` if the context has no edits.
  private func write(
    _ author: String?? = nil,
    _ contextName: String?? = nil,
    _ policy: MergePolicy? = nil,
    _ begunAt: Date? = nil,
    _ closure: ((SaveConflict) throws -> ConflictResolution)? = nil,
    deniesReferences: Bool = false
  ) throws(HistoryError) -> ([ObjectEdit], SaveResult)? {
    let policy = policy ?? mergePolicy
    return try state.withLock { state throws(HistoryError) in
      let edits = state.objectEdits(for: policy, hasClosure: closure != nil)
      guard !edits.isEmpty else { return nil }
      var request = SaveRequest(
        edits: edits,
        author: author ?? self.author,
        contextName: contextName ?? name,
        writer: writer,
        policy: policy,
        begunAt: begunAt
      )
      request.deniesReferences = deniesReferences
      let result = try store.save(request, resolving: closure)
      state.apply(result)
      // The save is committed. If the file cannot be read, the snapshot is lost, and the next read
      // throws.
      try? state.movePin()
      return (edits, result)
    }
  }

  /// Reads the rows of objects again from one snapshot, and removes objects that no longer exist.
  ///
  /// - Complexity: one statement for each entity, after a sort of the keys.
  func refresh(_ ids: some Sequence<ObjectID>, in state: inout ContextState) throws(HistoryError) {
    var keys = Array(repeating: [Int64](), count: state.tables.count)
    for id in ids { keys[Int(id.entity) - 1].append(id.key) }
    for index in keys.indices { keys[index].sort() }
    state.take(try (state.pinned ?? store).rows(sortedKeys: keys), keys)
  }
}

extension ContextState {
  /// Applies rows that were read again, and removes objects whose rows no longer exist.
  ///
  /// - Returns: The objects that no longer exist.
  @discardableResult
  mutating func take(_ batches: [RowBatch], _ wanted: [[Int64]]) -> Set<ObjectID> {
    var gone: Set<ObjectID> = []
    for batch in batches {
      let wanted = wanted[Int(batch.entity) - 1]
      if batch.count < wanted.count {
        let missing = Set(wanted).subtracting(batch.keys)
        gone.formUnion(missing.map { ObjectID(entity: batch.entity, key: $0) })
      }
      self[table: batch.entity].put(batch)
    }
    for id in gone { forget(id) }
    return gone
  }
}
