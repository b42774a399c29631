public import HistoryStore
package import PersistentHistory
import Synchronization

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

  /// Saves the edits, under another author if need be, and tells what became of each.
  package func saveReporting(
    author: String?? = nil
  ) throws(HistoryError) -> (transaction: WrittenTransaction?, edits: [SavedEdit]) {
    try state.withLock { state throws(HistoryError) in
      let edits = state.objectEdits()
      guard !edits.isEmpty else { return (nil, []) }
      let result = try store.save(
        SaveRequest(
          edits: edits,
          author: author ?? self.author,
          contextName: name,
          writer: writer,
          policy: mergePolicy
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

  /// Reads the rows of some objects anew; those that are gone are forgotten.
  ///
  /// - Complexity: one query a row, in key order.
  func refresh(_ ids: [ObjectID], in state: inout ContextState) throws(HistoryError) {
    var keys = Array(repeating: [Int64](), count: state.tables.count)
    for id in ids { keys[Int(id.entity) - 1].append(id.key) }
    for (offset, some) in keys.enumerated() where !some.isEmpty {
      let sorted = some.sorted()
      let batch = try store.rows(Int32(offset + 1), sortedKeys: sorted)
      if batch.keys.count < sorted.count {
        let found = Set(batch.keys)
        for key in sorted where !found.contains(key) {
          state.forget(ObjectID(entity: Int32(offset + 1), key: key))
        }
      }
      state.tables[offset].put(batch)
    }
  }
}
