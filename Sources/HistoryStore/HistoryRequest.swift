public import PersistentHistory

/// The part of matching history that a page contains (Core Data: `NSPersistentHistoryResultType`).
public enum HistoryContents: Sendable, Hashable, CaseIterable {
  /// Transactions with all of their changes.
  case transactionsWithChanges
  /// Transactions only: changes are not read unless the filter depends on them.
  case transactionsOnly
  /// The changes that match, and the transactions that they belong to.
  case changesOnly
}

/// A request for history (Core Data: `NSPersistentHistoryChangeRequest.fetchHistory(after:)`).
public struct HistoryRequest: Sendable, Hashable {
  /// The start of a fetch, which excludes the transaction at the position itself.
  public enum Position: Sendable, Hashable {
    /// After a token; `nil` starts at the oldest transaction that remains.
    case token(HistoryToken?)
    /// After a point in time.
    case date(Date)
  }

  /// The position after which the fetch starts.
  public var position: Position
  /// The condition on the returned transactions and changes; `nil` returns all.
  public var filter: HistoryFilter?
  /// The part of the matching history to return.
  public var contents = HistoryContents.transactionsWithChanges
  /// The maximum number of transactions on one page.
  public var transactionCountMax: Int
  /// The number of changes after which a page ends, with the transaction that reached it.
  public var changeCountMax = 100_000
  /// The date that the first page started after, for the pages that follow it.
  package private(set) var since: Date?
  /// The number through which each author's history was already gone for earlier pages: no gap.
  package private(set) var gone: [Int32: Int64] = [:]
  /// The position in a transaction that the page before contained only in part.
  package private(set) var rest: TransactionRest?
  /// The limits of a page that may end within a transaction; `nil` reads whole transactions only.
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

  /// Returns the request for the next page, after one that this request returned.
  ///
  /// It continues after the last transaction that was scanned and, where times do not rise with
  /// numbers, still compares every time with the date. History purged before the page was read is
  /// not reported as a gap; a purge between the two pages makes the token expire.
  public func next(after page: HistoryPage) -> HistoryRequest {
    var next = self
    if case .date(let date) = position { next.since = date }
    next.rest = page.rest
    if !page.gone.isEmpty { next.gone = page.gone }
    // A history that is read from its beginning has no token before its first transaction.
    if page.rest == nil || page.scannedThrough.number > 0 {
      next.position = .token(page.scannedThrough)
    }
    return next
  }
}

/// The limits of one page of a stream.
///
/// With them, neither memory nor the duration of one read transaction grows with the history.
package struct StreamingLimits: Sendable, Hashable {
  /// The number of bytes of tombstones after which the page ends.
  package var tombstoneBytesMax = 1 << 20
  /// The number of unpacked changes that do not match after which the page ends.
  package var skippedCountMax = 1_000_000

  package init() {}
}
