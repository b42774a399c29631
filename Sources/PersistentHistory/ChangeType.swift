/// What a transaction did to an object; raw values as in `NSPersistentHistoryChangeType`.
public enum ChangeType: UInt8, Sendable, Hashable, Codable, CaseIterable, BitwiseCopyable {
  /// The object is new.
  case insert = 0
  /// Some attributes of the object were set.
  case update = 1
  /// The object is gone.
  case delete = 2
}
