/// The handling of saved objects that another writer changed after the context read them.
///
/// An object that another writer deleted stays deleted under every policy except ``error``.
public enum MergePolicy: String, Sendable, Hashable, CaseIterable {
  /// The save fails and changes nothing (Core Data: `NSErrorMergePolicy`).
  ///
  /// A save that would create a duplicate fails with ``HistoryError/Code/duplicate``.
  case error
  /// Attributes that another writer changed keep the store's values.
  ///
  /// The other attributes that the context edited are written.
  ///
  /// An object that the context deleted, and another writer changed, stays. If an inserted object
  /// has a duplicate in the store, the store's object replaces it. If an updated object would have
  /// a duplicate, it keeps its unique values from the store (Core Data:
  /// `NSMergeByPropertyStoreTrumpMergePolicy`).
  case storeWins
  /// The attributes that were set overwrite the store's; all other attributes stay as in the store.
  ///
  /// If an inserted object has a duplicate in the store, the duplicate gets the values that were
  /// set, and replaces the inserted object. The duplicate of an updated object is deleted.
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
