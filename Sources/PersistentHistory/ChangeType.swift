/// The operation on an object, with the raw values of `NSPersistentHistoryChangeType`.
public enum ChangeType: UInt8, Sendable, Hashable, Codable, CaseIterable, BitwiseCopyable {
  /// The object was inserted.
  case insert = 0
  /// Attributes of the object were set.
  case update = 1
  /// The object was deleted.
  case delete = 2
}
