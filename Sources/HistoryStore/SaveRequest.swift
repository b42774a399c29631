package import PersistentHistory

/// One object that a context inserts, updates or deletes.
package struct ObjectEdit: Sendable {
  package var id: ObjectID
  package var type: ChangeType
  /// The attributes that an update sets.
  package var columns: UInt64
  /// The version of the row that the edit was made on; unused by an insert.
  package var version: Int64
  /// For an insert one value an attribute; for an update one for each bit of `columns`, in order.
  package var values: [Value]
  /// The row that an update was made on, one value an attribute, where the merge policy needs it;
  /// without it every attribute counts as changed by the store.
  package var base: [Value]

  package init(
    _ type: ChangeType,
    _ id: ObjectID,
    columns: UInt64 = 0,
    version: Int64 = 0,
    values: [Value] = [],
    base: [Value] = []
  ) {
    self.type = type
    self.id = id
    self.columns = columns
    self.version = version
    self.values = values
    self.base = base
  }
}

/// What a save does: the edits of one context, as one transaction, at most one edit an object.
package struct SaveRequest: Sendable {
  package var edits: [ObjectEdit]
  package var author: String?
  package var contextName: String?
  package var writer: WriterID
  package var policy: MergePolicy
  /// What the store's clock read when the save began, if it began before it takes the lock: it becomes
  /// the timestamp, which may then be earlier than that of the transaction before it.
  package var begunAt: Date?

  package init(
    edits: [ObjectEdit],
    author: String?,
    contextName: String?,
    writer: WriterID,
    policy: MergePolicy,
    begunAt: Date? = nil
  ) {
    self.edits = edits
    self.author = author
    self.contextName = contextName
    self.writer = writer
    self.policy = policy
    self.begunAt = begunAt
  }
}

/// What became of one edit.
package enum EditOutcome: Sendable, Hashable {
  /// It was written on the row that it was made on.
  case written
  /// These attributes of it were written over a row that somebody had changed.
  case writtenOver(columns: UInt64)
  /// The store's row won, and it was left out.
  case leftOut
  /// The object was gone, and it was left out.
  case gone
}

/// What a save did.
package struct SaveResult: Sendable {
  /// The transaction; nothing when no edit took effect, or in a store that keeps no history.
  package var transaction: WrittenTransaction?
  /// The version that written rows have.
  package var version: Int64
  /// What became of each edit, in order.
  package var outcomes: [EditOutcome]
  /// The rows, as they were committed, of the objects that are not as the context has them now.
  package var rows: [RowBatch]
}
