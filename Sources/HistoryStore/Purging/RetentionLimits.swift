/// The limits beyond which a purge does not wait for a member; none by default.
///
/// A member with more unmerged history than a limit allows is marked as lost: its next fetch or
/// record fails with an error, and it resyncs. Consumers are never excluded.
public struct RetentionLimits: Sendable, Hashable, Codable {
  /// The maximum age of an unmerged transaction, in seconds before the newest one.
  ///
  /// Only times of activity count: a gap of more than a day between neighbors counts as 0, as does
  /// a step back of the clock. The current time is not used.
  public var age: Double?
  /// The maximum number of transactions that a member has not merged.
  public var transactionCount: Int?
  /// The maximum size of the history that a member has not merged, in bytes.
  public var byteCount: Int?

  /// Creates limits; a `nil` limit is off.
  public init(age: Double? = nil, transactionCount: Int? = nil, byteCount: Int? = nil) {
    self.age = age
    self.transactionCount = transactionCount
    self.byteCount = byteCount
  }

  /// Whether no limit is set.
  public var isOff: Bool { age == nil && transactionCount == nil && byteCount == nil }

  /// Returns limits that keep every member that one of the two would keep.
  func loosened(by other: RetentionLimits) -> RetentionLimits {
    RetentionLimits(
      age: Self.greater(age, other.age),
      transactionCount: Self.greater(transactionCount, other.transactionCount),
      byteCount: Self.greater(byteCount, other.byteCount)
    )
  }

  private static func greater<Value: Comparable>(_ left: Value?, _ right: Value?) -> Value? {
    guard let left, let right else { return nil }
    return max(left, right)
  }
}
