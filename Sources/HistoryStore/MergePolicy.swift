/// What a save does with objects that somebody else changed since they were read.
///
/// An object that somebody else deleted stays deleted under every policy but ``error``.
public enum MergePolicy: String, Sendable, Hashable, CaseIterable {
  /// The save fails and nothing is written (Core Data: `NSErrorMergePolicy`).
  case error
  /// Attribute by attribute, what the store has changed stays and the rest of the edit is written; a
  /// deleted object stays as the store has it
  /// (Core Data: `NSMergeByPropertyStoreTrumpMergePolicy`).
  case storeWins
  /// The attributes that were set are written over the store's, the others stay as the store has them
  /// (Core Data: `NSMergeByPropertyObjectTrumpMergePolicy`).
  case objectWins
  /// The whole object as the context has it is written over the store's row, attributes that were not
  /// set included (Core Data: `NSOverwriteMergePolicy`).
  case overwrite
  /// The edit is given up and the store's row stays as it is (Core Data: `NSRollbackMergePolicy`).
  case rollback
}
