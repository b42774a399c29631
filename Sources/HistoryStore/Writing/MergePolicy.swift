/// The handling of saved objects that another writer changed after the context read them.
///
/// If another writer deleted an object that the save updates, the save fails under ``error``; under
/// every other policy, the object stays deleted.
///
/// A policy also applies to an edited object with a duplicate: another object that has the same
/// values of the attributes of a uniqueness constraint.
public enum MergePolicy: String, Sendable, Hashable, CaseIterable {
  /// The save fails and changes nothing (Core Data: `NSErrorMergePolicy`).
  ///
  /// A save that would create a duplicate fails with ``HistoryError/Code/duplicate``.
  case error
  /// Attributes that another writer changed keep the store's values.
  ///
  /// The other attributes that the context edited are written.
  ///
  /// An object stays in the store if the context deleted it but another writer changed it. If an
  /// inserted object has a duplicate in the store, the store's object replaces it. If an updated
  /// object would have a duplicate, it keeps its unique values from the store (Core Data:
  /// `NSMergeByPropertyStoreTrumpMergePolicy`).
  case storeWins
  /// Attributes that the context set overwrite the store's values; all others stay unchanged.
  ///
  /// If an inserted object has a duplicate in the store, the duplicate gets the values that the
  /// context set, and replaces the inserted object. The duplicate of an updated object is deleted.
  ///
  /// Core Data: `NSMergeByPropertyObjectTrumpMergePolicy`.
  case objectWins
  /// The whole object of the context overwrites the store's row.
  ///
  /// This includes attributes that the context did not set (Core Data: `NSOverwriteMergePolicy`).
  ///
  /// If an inserted object has a duplicate in the store, the duplicate gets all values of the
  /// inserted object, and replaces it. The duplicate of an updated object is deleted.
  case overwrite
  /// The edit is discarded and the store's row stays (Core Data: `NSRollbackMergePolicy`).
  ///
  /// If an inserted object has a duplicate in the store, the store's object replaces it.
  case rollback
}
