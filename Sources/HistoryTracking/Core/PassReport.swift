public import HistoryStore
public import HistoryTypes

/// The result of one pass: counts, positions, durations and failures.
public struct PassReport: Sendable, Hashable {
  /// The durations of the steps of a pass, summed over all pages.
  public struct Durations: Sendable, Hashable {
    /// The time spent reading history.
    public internal(set) var fetch = Duration.zero
    /// The time spent in observers and merge hooks.
    public internal(set) var hooks = Duration.zero
    /// The time spent merging into the contexts and removing duplicates.
    public internal(set) var merge = Duration.zero
    /// The time spent recording the cursor, except where ``purge`` includes that time.
    ///
    /// Unless the strategy is ``PurgeStrategy/none``, the purge step at the end of a pass also
    /// records the cursor of the last page.
    public internal(set) var record = Duration.zero
    /// The time spent purging, including recording the cursor for the last page.
    public internal(set) var purge = Duration.zero
  }

  /// The number of merged transactions.
  public internal(set) var transactionCount = 0
  /// The number of changes in the merged transactions.
  public internal(set) var changeCount = 0
  /// The number of pages that contained transactions to merge.
  public internal(set) var pageCount = 0
  /// The numbers of the merged transactions, in order.
  package internal(set) var numbers: [Int64] = []
  /// The recorded position, or `nil` if the pass recorded none.
  public internal(set) var cursor: HistoryToken?
  /// The number of the last purged transaction, or `nil` if the pass did not purge.
  public internal(set) var purgedThrough: TransactionNumber?
  /// The number of transactions that the pass purged.
  public internal(set) var purgedCount = 0
  /// The durations of the steps of the pass, such as fetching and merging, summed over all pages.
  public internal(set) var durations = Durations()
  /// The hook calls that threw.
  public internal(set) var hookFailures: [HookFailure] = []
  /// The members that this pass's purge marked as lost, because they exceeded a retention limit.
  ///
  /// The next fetch of each of them throws ``HistoryError/Code/lost``.
  public internal(set) var lostMembers: [MemberID] = []
  /// The jumps of more than a day between timestamps in history.
  ///
  /// A limit on the age of history does not count these jumps.
  public internal(set) var timestampJumps: [TimestampJump] = []
  /// The authors found in history that the configuration does not declare.
  public internal(set) var undeclaredAuthors: Set<String> = []
  /// A change of the store's model by a newer program; only the first pass to notice it reports it.
  ///
  /// Passes continue, and ignore the entities and attributes that this program does not know.
  public internal(set) var modelSkew: ModelSkew?
  /// The error that ended the pass early, or `nil`; positions recorded before it stay recorded.
  public internal(set) var failure: HistoryError?

  package init() {}
}

extension PassReport {
  /// Adds the transactions and changes of one merged page to the counts.
  mutating func note(_ transactions: [HistoryTransaction]) {
    for transaction in transactions {
      transactionCount += 1
      changeCount += transaction.record.count
      numbers.append(transaction.number.rawValue)
    }
  }

  /// Adds the result of a purge, and the position that was recorded together with the purge.
  mutating func note(_ purge: PurgeResult, _ recorded: HistoryToken) {
    cursor = recorded
    if purge.isDue { purgedThrough = purge.purgedThrough }
    purgedCount += purge.transactionCount
    lostMembers = purge.lostMembers
    timestampJumps = purge.timestampJumps
  }
}

extension PassReport: CustomStringConvertible {
  /// A one-line summary for logs.
  public var description: String {
    let merged =
      "\(transactionCount.counted("transaction")) with \(changeCount.counted("change")) in "
      + pageCount.counted("page")
    let position = cursor.map { "through #\($0.number)" } ?? "no position recorded"
    guard let purgedThrough, purgedCount > 0 else { return "\(merged), \(position)" }
    return "\(merged), \(position), \(purgedCount) purged through #\(purgedThrough)"
  }
}

/// A timer that measures the consecutive steps of a pass.
struct StepTimer {
  private let clock: TrackerClock
  private var last: Duration

  init(_ clock: TrackerClock) {
    self.clock = clock
    last = clock.now()
  }

  /// Adds the time since the previous lap, or since the start, to a sum.
  mutating func lap(_ sum: inout Duration) {
    let now = clock.now()
    sum += now - last
    last = now
  }
}

/// Decides whether a pass purges, and counts passes for ``PurgeStrategy/byNotification(times:)``.
struct PurgeTurn {
  /// The number of passes that found new transactions.
  ///
  /// Counted only under ``PurgeStrategy/byNotification(times:)``.
  private(set) var newsCount = 0

  /// Returns the trigger for the purge at the end of a pass, or `nil` if the pass does not purge.
  mutating func trigger(_ strategy: PurgeStrategy, _ report: PassReport) -> PurgeTrigger? {
    switch strategy {
    case .none: return nil
    case .whenMerged: return .always
    case .byDuration(let duration): return .atIntervals(of: duration)
    case .whenLargerThan(let share): return .whenLargerThan(share: share)
    case .byNotification(let times):
      guard report.pageCount > 0 else { return nil }
      newsCount += 1
      return newsCount % max(1, times) == 0 ? .always : nil
    }
  }
}
