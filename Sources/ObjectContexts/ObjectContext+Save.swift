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
      state.apply(result)
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
    var rows = Array(repeating: [RowToRead](), count: state.tables.count)
    for id in ids {
      let place = state[table: id.entity].known(id.key)?.place ?? -1
      rows[Int(id.entity) - 1].append(RowToRead(key: id.key, place: place))
    }
    for index in rows.indices { rows[index].sort { $0.key < $1.key } }
    let read = try store.rows(beside: state.known(rows))
    state.take(read, rows)
  }
}

extension ContextState {
  /// What is known of rows that are to be read again, by entity; it must be let go of before they are
  /// taken over, which would copy the tables else.
  func known(_ wanted: [[RowToRead]]) -> [KnownRows] {
    wanted.enumerated().filter { !$0.element.isEmpty }
      .map { self.tables[$0.offset].known(Int32($0.offset + 1), $0.element) }
  }

  /// Takes over rows that were read again; objects whose rows were wanted and are gone are forgotten.
  ///
  /// - Returns: the objects that are gone.
  @discardableResult
  mutating func take(
    _ batches: consuming [RowDifferences],
    _ wanted: [[RowToRead]]
  ) -> Set<ObjectID> {
    var gone: Set<ObjectID> = []
    // Taken out one by one: a batch that nobody else holds is moved into its table, not copied.
    while let batch = batches.popLast() {
      let wanted = wanted[Int(batch.entity) - 1]
      if batch.rows.count < wanted.count {
        let found = Set(batch.rows.map(\.key))
        gone.formUnion(
          wanted.lazy.filter { !found.contains($0.key) }
            .map { ObjectID(entity: batch.entity, key: $0.key) }
        )
      }
      self[table: batch.entity].put(batch)
    }
    for id in gone { forget(id) }
    return gone
  }
}
