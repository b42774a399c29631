public import HistoryTypes

/// The condition under which a requested purge is carried out.
///
/// The condition depends only on the file, so it is the same for all processes. A count of
/// notifications cannot be a condition, because each process has its own count, which starts at 0.
public enum PurgeTrigger: Sendable, Hashable {
  /// The purge is carried out at every request.
  case always
  /// The purge is carried out if this time has passed since the last purge by any process.
  ///
  /// The time is measured by the store's clock. The first purge is carried out immediately. If the
  /// recorded time of the last purge is in the future, the next purge is also carried out immediately.
  case atIntervals(of: Duration)
  /// The purge is carried out if history takes more than this share (0 to 1) of the file's pages.
  ///
  /// Free pages of the file are not counted.
  case whenLargerThan(share: Double)
}

/// The authors and contexts whose history a purge deletes.
///
/// A purge cannot filter by changes: for each author, the store records only the number of the last
/// purged transaction, and uses it to decide whether a token has expired.
public struct PurgeFilter: Sendable, Hashable {
  /// The authors whose history is purged; a `nil` set selects all authors.
  ///
  /// The element `nil` selects transactions without an author.
  public var authors: Set<String?>?
  /// The names of the contexts whose history is purged; a `nil` set selects all contexts.
  ///
  /// The element `nil` selects transactions without a context name.
  public var contextNames: Set<String?>?

  /// Creates a filter; without arguments it selects all history.
  ///
  /// - Parameters:
  ///   - authors: The authors, with `nil` for transactions without an author. The default selects all.
  ///   - contextNames: The context names, with `nil` for transactions without a name. The default
  ///     selects all.
  public init(authors: Set<String?>? = nil, contextNames: Set<String?>? = nil) {
    self.authors = authors
    self.contextNames = contextNames
  }
}

/// The limits on the unmerged history that a purge keeps for a member; the default is no limits.
///
/// A member with more unmerged history than a limit allows is marked as lost: the member's next
/// attempt to fetch history or record a cursor fails with an error, and the member must resync.
/// Consumers, which are members without contexts, are never marked as lost.
public struct RetentionLimits: Sendable, Hashable, Codable {
  /// The maximum age of an unmerged transaction, relative to the newest transaction.
  ///
  /// The age is the sum of the time gaps between consecutive transactions, from the unmerged one to
  /// the newest. A gap of more than a day counts as 0, and so does a step back of the clock. The
  /// current time is not used.
  public var age: Duration?
  /// The maximum number of transactions that a member may leave unmerged.
  public var transactionCount: Int?
  /// The maximum size of the history that a member may leave unmerged, in bytes.
  public var byteCount: Int?

  /// Creates limits, each of which is `nil` by default and then not applied.
  ///
  /// - Parameters:
  ///   - age: The maximum age of an unmerged transaction, relative to the newest transaction.
  ///   - transactionCount: The maximum number of unmerged transactions.
  ///   - byteCount: The maximum size of the unmerged history in bytes.
  public init(age: Duration? = nil, transactionCount: Int? = nil, byteCount: Int? = nil) {
    self.age = age
    self.transactionCount = transactionCount
    self.byteCount = byteCount
  }

  /// Whether no limit is set.
  public var isOff: Bool { age == nil && transactionCount == nil && byteCount == nil }

  /// Returns the looser value of each limit: the greater of two, or `nil` if either is `nil`.
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

extension RetentionLimits {
  private enum CodingKeys: CodingKey {
    case age
    case transactionCount
    case byteCount
  }

  /// Decodes limits whose age is a number of seconds.
  ///
  /// - Throws: `DecodingError` if a value has another type.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      age: try values.decodeIfPresent(Double.self, forKey: .age)
        .map(Duration.init(clampedSeconds:)),
      transactionCount: try values.decodeIfPresent(Int.self, forKey: .transactionCount),
      byteCount: try values.decodeIfPresent(Int.self, forKey: .byteCount)
    )
  }

  /// Encodes the limits, with the age as a number of seconds.
  ///
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(age?.inSeconds, forKey: .age)
    try values.encodeIfPresent(transactionCount, forKey: .transactionCount)
    try values.encodeIfPresent(byteCount, forKey: .byteCount)
  }
}

/// The outcome of a purge.
public struct PurgeResult: Sendable, Hashable {
  /// The number up to which the selected history is now purged; protected authors' history remains.
  public let purgedThrough: TransactionNumber
  /// The lowest cursor of the active members; the newest transaction's number if there are none.
  public let watermark: TransactionNumber
  /// The number of transactions that this purge deleted.
  public let transactionCount: Int
  /// Whether the purge stopped before the requested position.
  ///
  /// A purge deletes nothing after the ``watermark``, and never the newest transaction.
  public let isLimited: Bool
  /// Whether the purge was carried out; `false` if its trigger postponed it.
  public let isDue: Bool
  /// The members that this purge marked as lost, sorted by name; their next fetch fails.
  public let lostMembers: [MemberID]
  /// The gaps of more than a day between the timestamps of successive transactions, newest first.
  ///
  /// The age limit does not count the time of these gaps, because the clock may have been wrong.
  public let timestampJumps: [TimestampJump]
}

/// Two consecutive transactions whose timestamps differ by more than a day, in either direction.
public struct TimestampJump: Sendable, Hashable {
  /// The number of the later transaction, which is the greater one of the two numbers.
  public let number: TransactionNumber
  /// The later transaction's timestamp minus the earlier one's; negative if the clock stepped back.
  public let difference: Duration

  /// Creates a description of a jump from one transaction's timestamp to the next one's.
  ///
  /// - Parameters:
  ///   - number: The number of the later transaction.
  ///   - difference: The later transaction's timestamp minus the earlier one's; negative if the
  ///     clock stepped back.
  public init(number: TransactionNumber, difference: Duration) {
    self.number = number
    self.difference = difference
  }
}
