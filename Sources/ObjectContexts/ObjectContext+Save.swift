public import HistoryStore
package import PersistentHistory

/// What became of one object that a save wrote, or did not.
package struct SavedEdit: Sendable, Hashable {
  package let id: ObjectID
  package let type: ChangeType
  package let outcome: EditOutcome
}

extension ObjectContext {
  /// Saves the edits as one transaction; without edits, or when none takes effect, nothing is written.
  ///
  /// - Throws: ``HistoryError/conflict(_:)`` under the merge policy `error`, or ``HistoryError/sqlite(_:)``;
  ///   data, history and the edits are as before then.
  /// - Complexity: one statement an edit, one or two for the history, one query for each object that
  ///   somebody else had changed.
  @discardableResult
  public func save() throws(HistoryError) -> WrittenTransaction? {
    try saveReporting().transaction
  }

  /// Saves the edits as ``save()`` does, under another author than the context's, which may be absent.
  @discardableResult
  public func save(author: String?) throws(HistoryError) -> WrittenTransaction? {
    try saveReporting(author: .some(author)).transaction
  }

  /// Saves the edits as ``save()`` does, under another author and context name than the context's, each
  /// of which may be absent.
  @discardableResult
  public func save(
    author: String?,
    contextName: String?
  ) throws(HistoryError) -> WrittenTransaction? {
    try saveReporting(author: .some(author), contextName: .some(contextName)).transaction
  }

  /// Saves the edits, under other names, another policy or an earlier time if need be, and tells what
  /// became of each.
  package func saveReporting(
    author: String?? = nil,
    contextName: String?? = nil,
    policy: MergePolicy? = nil,
    begunAt: Date? = nil
  ) throws(HistoryError) -> (transaction: WrittenTransaction?, edits: [SavedEdit]) {
    let policy = policy ?? mergePolicy
    return try state.withLock { state throws(HistoryError) in
      let edits = state.objectEdits(for: policy)
      guard !edits.isEmpty else { return (nil, []) }
      let result = try store.save(
        SaveRequest(
          edits: edits,
          author: author ?? self.author,
          contextName: contextName ?? name,
          writer: writer,
          policy: policy,
          begunAt: begunAt
        )
      )
      let stale = state.apply(result)
      try refresh(stale, in: &state)
      let report = zip(edits, result.outcomes).map {
        SavedEdit(id: $0.id, type: $0.type, outcome: $1)
      }
      return (result.transaction, report)
    }
  }

  /// Reads the rows of some objects anew, all at one moment; those that are gone are forgotten.
  ///
  /// - Complexity: one statement an entity, after a sort of the keys.
  func refresh(_ ids: some Sequence<ObjectID>, in state: inout ContextState) throws(HistoryError) {
    var keys = Array(repeating: [Int64](), count: state.tables.count)
    for id in ids { keys[Int(id.entity) - 1].append(id.key) }
    for index in keys.indices { keys[index].sort() }
    try refresh(sortedKeys: keys, in: &state)
  }

  /// Reads the rows with some keys of each entity anew, all at one moment; those that are gone are
  /// forgotten.
  ///
  /// - Returns: the objects that are gone.
  /// - Complexity: one statement an entity.
  @discardableResult
  func refresh(
    sortedKeys: [[Int64]],
    in state: inout ContextState
  ) throws(HistoryError) -> Set<ObjectID> {
    var gone: Set<ObjectID> = []
    var batches = try store.rows(sortedKeys: sortedKeys)
    // Taken out one by one: a batch that nobody else holds is moved into its table, not copied.
    while let batch = batches.popLast() {
      let wanted = sortedKeys[Int(batch.entity) - 1]
      if batch.keys.count < wanted.count {
        let found = Set(batch.keys)
        gone.formUnion(
          wanted.filter { !found.contains($0) }.map { ObjectID(entity: batch.entity, key: $0) }
        )
      }
      state[table: batch.entity].put(batch)
    }
    for id in gone { state.forget(id) }
    return gone
  }
}
