package import HistoryTypes

/// One insert, update or delete of an object by a context.
package struct ObjectEdit: Sendable {
  package var id: ObjectID
  package var type: ChangeType
  /// The attributes that an update sets, as bits.
  package var columns: UInt64
  /// The version of the row that the edit is based on; unused by an insert.
  package var version: Int64
  /// One value per attribute for an insert; one per bit of `columns`, in order, for an update.
  package var values: [Value]
  /// The row that an update is based on, one value per attribute, if the merge policy needs it.
  ///
  /// When it is empty, every attribute counts as changed by the store.
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

/// The edits of one context to save as one transaction, at most one per object.
package struct SaveRequest: Sendable {
  package var edits: [ObjectEdit]
  package var author: String?
  package var contextName: String?
  package var writer: WriterID
  package var policy: MergePolicy
  /// The time of the store's clock when the save started, if that was before it took the lock.
  ///
  /// It becomes the timestamp, which a store with raw timestamps may then record as earlier than
  /// that of the transaction before.
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

/// The outcome of one edit.
package enum EditOutcome: Sendable, Hashable {
  /// The edit was written to the row that it is based on.
  case written
  /// These attributes of the edit were written over a row that another writer had changed.
  case writtenOver(columns: UInt64)
  /// The store's row won, and the edit was left out.
  case leftOut
  /// The object no longer existed, and the edit was left out.
  case gone
}

/// The outcome of a save.
package struct SaveResult: Sendable {
  /// The transaction; `nil` when no edit took effect, or when the store keeps no history.
  package var transaction: WrittenTransaction?
  /// The version of the written rows.
  package var version: Int64
  /// The outcome of each edit, in order.
  package var outcomes: [EditOutcome]
  /// The committed rows of the objects that differ from the context's state.
  package var rows: [RowBatch]
}

/// The handling of a save's objects that another writer changed since they were read.
///
/// An object that another writer deleted stays deleted under every policy except ``error``.
public enum MergePolicy: String, Sendable, Hashable, CaseIterable {
  /// The save fails and changes nothing (Core Data: `NSErrorMergePolicy`).
  case error
  /// Attributes that the store has changed stay, and the rest of the edit is written.
  ///
  /// A deleted object stays as it is in the store (Core Data:
  /// `NSMergeByPropertyStoreTrumpMergePolicy`).
  case storeWins
  /// The attributes that were set overwrite the store's; the others stay as they are in the store.
  ///
  /// Core Data: `NSMergeByPropertyObjectTrumpMergePolicy`.
  case objectWins
  /// The whole object of the context overwrites the store's row.
  ///
  /// This includes attributes that were not set (Core Data: `NSOverwriteMergePolicy`).
  case overwrite
  /// The edit is discarded and the store's row stays (Core Data: `NSRollbackMergePolicy`).
  case rollback
}
