public import PersistentHistory

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
  /// Which transactions are returned.
  public var filter: HistoryFilter?
  /// How many transactions one page holds at most.
  public var transactionCountMax: Int
  /// How many changes one page holds before it ends, with the transaction that reached it.
  public var changeCountMax = 100_000
  /// The date that the first page started after, for the pages that follow it.
  package private(set) var since: Date?

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

  /// The request for the page after one that this request returned, while that has more.
  ///
  /// It goes on behind the last transaction that was scanned and, where times do not rise with
  /// numbers, still compares every time with the date.
  public func next(after page: HistoryPage) -> HistoryRequest {
    var next = self
    if case .date(let date) = position { next.since = date }
    next.position = .token(page.scannedThrough)
    return next
  }
}
