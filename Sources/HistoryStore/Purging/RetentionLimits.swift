/// Limits beyond which a purge does not wait for an actor any more; none by default.
///
/// An actor with more history before it than a limit allows is marked as lost: it is told at its next
/// fetch or record, and resyncs. Consumers are never cut off.
public struct RetentionLimits: Sendable, Hashable, Codable {
  /// The greatest age of a transaction that an actor has not merged, in seconds before the newest one.
  ///
  /// It is the time in which somebody wrote: a gap of more than a day between neighbours counts for
  /// nothing, as does a clock that steps back. No wall clock is asked.
  public var age: Double?
  /// The greatest number of transactions that an actor has not merged.
  public var transactionCount: Int?
  /// The greatest size of the history that an actor has not merged, in bytes.
  public var byteCount: Int?

  /// Creates limits; an absent one is off.
  public init(age: Double? = nil, transactionCount: Int? = nil, byteCount: Int? = nil) {
    self.age = age
    self.transactionCount = transactionCount
    self.byteCount = byteCount
  }

  /// Whether nobody is ever cut off.
  public var isOff: Bool { age == nil && transactionCount == nil && byteCount == nil }

  /// The limits that cut nobody off whom one of two would keep.
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
