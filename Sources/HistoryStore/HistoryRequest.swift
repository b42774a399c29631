public import PersistentHistory

/// What of the matching history a page holds (Core Data: `NSPersistentHistoryResultType`).
public enum HistoryContents: Sendable, Hashable, CaseIterable {
  /// Transactions with all of their changes.
  case transactionsWithChanges
  /// Transactions alone: changes are not read unless the filter asks about them.
  case transactionsOnly
  /// Only the changes that match, and the transactions that they belong to.
  case changesOnly
}

/// A request for history (Core Data: `NSPersistentHistoryChangeRequest.fetchHistory(after:)`).
public struct HistoryRequest: Sendable, Hashable {
  /// Where a fetch starts; what lies at the position itself is never returned.
  public enum Position: Sendable, Hashable {
    /// After a token; after nothing is the beginning of what is held.
    case token(HistoryToken?)
    /// After a point in time.
    case date(Date)
  }

  /// Where the fetch starts.
  public var position: Position
  /// Which transactions and changes are returned.
  public var filter: HistoryFilter?
  /// What of them is returned.
  public var contents = HistoryContents.transactionsWithChanges
  /// How many transactions one page holds at most.
  public var transactionCountMax: Int
  /// How many changes one page holds before it ends, with the transaction that reached it.
  public var changeCountMax = 100_000
  /// The date that the first page started after, for the pages that follow it.
  package private(set) var since: Date?
  /// How far each author's history was gone when the pages before were read: that is no gap.
  package private(set) var gone: [Int32: Int64] = [:]
  /// Where the transaction goes on that the page before did not hold to its end.
  package private(set) var rest: TransactionRest?
  /// Whether a page may end within a transaction, and how much it may look at.
  package var streaming: StreamingLimits?

  /// Creates a request for the history after a token, or from the beginning.
  public init(
    after token: HistoryToken?,
    filter: HistoryFilter? = nil,
    transactionCountMax: Int = 1000
  ) {
    position = .token(token)
    self.filter = filter
    self.transactionCountMax = transactionCountMax
  }

  /// Creates a request for the history after a point in time.
  public init(after date: Date, filter: HistoryFilter? = nil, transactionCountMax: Int = 1000) {
    position = .date(date)
    self.filter = filter
    self.transactionCountMax = transactionCountMax
  }

  /// Creates a request for the history after a transaction.
  public init(
    after transaction: HistoryTransaction,
    filter: HistoryFilter? = nil,
    transactionCountMax: Int = 1000
  ) {
    self.init(
      after: transaction.token,
      filter: filter,
      transactionCountMax: transactionCountMax
    )
  }

  /// The request for the page after one that this request returned, while that has more.
  ///
  /// It goes on behind the last transaction that was scanned and, where times do not rise with
  /// numbers, still compares every time with the date. What was purged before the page was read is no
  /// gap between the two; what is purged between them makes the token expire.
  public func next(after page: HistoryPage) -> HistoryRequest {
    var next = self
    if case .date(let date) = position { next.since = date }
    next.rest = page.rest
    if !page.gone.isEmpty { next.gone = page.gone }
    // Before the first transaction of a history that is read from its beginning there is no token.
    if page.rest == nil || page.scannedThrough.number > 0 {
      next.position = .token(page.scannedThrough)
    }
    return next
  }
}

/// What a page of a stream holds and looks at before it ends, so that neither memory nor the time of
/// one read transaction grows with the history.
package struct StreamingLimits: Sendable, Hashable {
  /// How many bytes of tombstones it holds.
  package var tombstoneBytesMax = 1 << 20
  /// How many changes that do not match it unpacks.
  package var skippedCountMax = 1_000_000

  package init() {}
}
