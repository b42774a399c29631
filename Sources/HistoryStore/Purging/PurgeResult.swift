public import PersistentHistory

/// What a purge did.
public struct PurgeResult: Sendable, Hashable {
  /// The last number that is purged now; protected authors' transactions stay.
  public let purgedThrough: Int64
  /// The least cursor of all members, or the head without a member.
  public let watermark: Int64
  /// How many transactions this purge deleted.
  public let transactionCount: Int
  /// Whether the watermark or the head kept the purge from going as far as it was asked to.
  public let isLimited: Bool
  /// Whether it took place: its trigger may have left it for later.
  public let isDue: Bool
  /// The actors that this purge has cut off, by name: they are told at their next fetch.
  public let lostMembers: [ActorID]
  /// The gaps of more than a day in the timestamps that the limit on age has met, which count for
  /// nothing; the newest first.
  public let timestampJumps: [TimestampJump]
}

/// Two neighbours in history whose timestamps lie more than a day apart, or that far back.
public struct TimestampJump: Sendable, Hashable {
  /// The number of the later transaction.
  public let number: Int64
  /// The seconds between the earlier and the later one; negative when the clock stepped back.
  public let seconds: Double

  /// Creates a jump below a transaction.
  public init(number: Int64, seconds: Double) {
    self.number = number
    self.seconds = seconds
  }
}
