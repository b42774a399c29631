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
