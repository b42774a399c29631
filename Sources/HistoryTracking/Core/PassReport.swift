public import HistoryStore
public import PersistentHistory

/// What one pass did.
public struct PassReport: Sendable, Hashable {
  /// How long the steps of a pass took, all pages together.
  public struct Durations: Sendable, Hashable {
    /// Reading history.
    public internal(set) var fetch = Duration.zero
    /// Observers and merge hooks.
    public internal(set) var hooks = Duration.zero
    /// Merging into the contexts, and removing duplicates.
    public internal(set) var merge = Duration.zero
    /// Recording the cursor, but for that of the last page where the purge does it as well.
    public internal(set) var record = Duration.zero
    /// Purging.
    public internal(set) var purge = Duration.zero
  }

  /// How many transactions were merged.
  public internal(set) var transactionCount = 0
  /// How many changes they held.
  public internal(set) var changeCount = 0
  /// How many pages they came in.
  public internal(set) var pageCount = 0
  /// The numbers of the transactions that were merged, in order.
  package internal(set) var numbers: [Int64] = []
  /// The position that was recorded, if one was.
  public internal(set) var cursor: HistoryToken?
  /// The last number that is purged, if the pass purged.
  public internal(set) var purgedThrough: Int64?
  /// How many transactions the pass purged.
  public internal(set) var purgedCount = 0
  /// How long it took.
  public internal(set) var durations = Durations()
  /// The calls of hooks that threw.
  public internal(set) var hookFailures: [HookFailure] = []
  /// The actors that the purge has cut off by a retention limit; they are told at their next fetch.
  public internal(set) var lostMembers: [ActorID] = []
  /// The gaps of more than a day in the timestamps of history that retention has met, which count for
  /// nothing.
  public internal(set) var timestampJumps: [TimestampJump] = []
  /// Authors who wrote and who are not among those that the tracker was told of.
  public internal(set) var undeclaredAuthors: Set<String> = []
  /// Why the pass ended early, if it did; what was recorded before stays.
  public internal(set) var failure: HistoryError?

  package init() {}
}

extension PassReport {
  /// Notes what was merged of one page.
  mutating func note(_ transactions: [HistoryTransaction]) {
    for transaction in transactions {
      transactionCount += 1
      changeCount += transaction.record.count
      numbers.append(transaction.number)
    }
  }

  /// Notes what a purge did that may have recorded as well.
  mutating func note(_ purge: PurgeResult, _ recorded: HistoryToken) {
    cursor = recorded
    if purge.isDue { purgedThrough = purge.purgedThrough }
    purgedCount += purge.transactionCount
    lostMembers = purge.lostMembers
    timestampJumps = purge.timestampJumps
  }
}

extension PassReport: CustomStringConvertible {
  /// One line, for logs.
  public var description: String {
    let merged =
      "\(transactionCount.counted("transaction")) with \(changeCount.counted("change")) in "
      + pageCount.counted("page")
    let position = cursor.map { "through #\($0.number)" } ?? "nothing recorded"
    guard let purgedThrough, purgedCount > 0 else { return "\(merged), \(position)" }
    return "\(merged), \(position), \(purgedCount) purged through #\(purgedThrough)"
  }
}
