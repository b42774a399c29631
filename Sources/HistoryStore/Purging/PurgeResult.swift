public import PersistentHistory

/// The outcome of a purge.
public struct PurgeResult: Sendable, Hashable {
  /// The last number that is now purged; transactions of protected authors remain.
  public let purgedThrough: Int64
  /// The lowest cursor of all members, or the head without a member.
  public let watermark: Int64
  /// The number of transactions that this purge deleted.
  public let transactionCount: Int
  /// Whether the watermark or the head limited the purge below its requested position.
  public let isLimited: Bool
  /// Whether the purge was carried out; its trigger may have postponed it.
  public let isDue: Bool
  /// The members that this purge excluded, by name; their next fetch fails with an error.
  public let lostMembers: [ActorID]
  /// The gaps of more than a day that the limit on age ignored, newest first.
  public let timestampJumps: [TimestampJump]
}

/// Two neighbors in history whose timestamps differ by more than a day, in either direction.
public struct TimestampJump: Sendable, Hashable {
  /// The number of the later transaction.
  public let number: Int64
  /// The seconds between the earlier and the later one; negative when the clock stepped back.
  public let seconds: Double

  /// Creates a jump between a transaction and the one before it.
  public init(number: Int64, seconds: Double) {
    self.number = number
    self.seconds = seconds
  }
}
