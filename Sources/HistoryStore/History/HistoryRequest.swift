public import HistoryTypes

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
  /// The position after which a fetch starts; the transaction at the position is excluded.
  public enum Position: Sendable, Hashable {
    /// Fetches transactions after a token; `nil` starts at the oldest transaction that remains.
    case token(HistoryToken?)
    /// Fetches transactions after a point in time.
    case date(Date)
  }

  /// The position after which the fetch starts.
  public var position: Position
  /// The condition on the returned transactions and changes; `nil` returns all.
  public var filter: HistoryFilter?
  /// The part of the matching history to return.
  public var contents = HistoryContents.transactionsWithChanges
  /// The maximum number of transactions on one page; the default is 1000.
  public var transactionCountMax: Int
  /// The number of changes after which a page ends; the default is 100,000.
  ///
  /// The transaction that reaches this number is included completely.
  public var changeCountMax = 100_000
  /// The date of a fetch by date, kept in the requests for its second and later pages.
  ///
  /// `nil` in other requests. In the request for the first page, ``position`` contains the date.
  package private(set) var since: Date?
  /// The purges that the fetches of earlier pages found: by author number, a transaction number.
  ///
  /// Up to the transaction number, history of the author may be missing. The fetch of the next page
  /// does not throw ``HistoryError/Code/expired`` because of these purges.
  package private(set) var gone: [Int32: Int64] = [:]
  /// The position within a transaction at which the previous page ended.
  ///
  /// `nil` for a first page, and if the previous page ended between two transactions.
  package private(set) var rest: TransactionRest?
  /// The limits of a page that may end within a transaction; `nil` reads whole transactions only.
  package var streaming: StreamingLimits?

  /// Creates a request for the history after a token, or from the beginning.
  ///
  /// - Parameters:
  ///   - token: The position after which the fetch starts; `nil` starts at the oldest transaction
  ///     that remains.
  ///   - filter: The condition on the returned transactions and changes. The default `nil` returns
  ///     all.
  ///   - transactionCountMax: The maximum number of transactions on one page. The default is 1000.
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
  ///
  /// - Parameters:
  ///   - date: The time, compared with the timestamps of the store's clock; transactions at exactly
  ///     this time are excluded.
  ///   - filter: The condition on the returned transactions and changes. The default `nil` returns
  ///     all.
  ///   - transactionCountMax: The maximum number of transactions on one page. The default is 1000.
  public init(after date: Date, filter: HistoryFilter? = nil, transactionCountMax: Int = 1000) {
    position = .date(date)
    self.filter = filter
    self.transactionCountMax = transactionCountMax
  }

  /// Creates a request for the history after a transaction.
  ///
  /// - Parameters:
  ///   - transaction: The transaction, which is excluded.
  ///   - filter: The condition on the returned transactions and changes. The default `nil` returns
  ///     all.
  ///   - transactionCountMax: The maximum number of transactions on one page. The default is 1000.
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

  /// Returns the request for the page after `page`, which this request returned.
  ///
  /// The next page starts after the last scanned transaction. If timestamps do not increase with
  /// numbers, a request by date still compares every timestamp with the date. History that was
  /// purged before `page` was read does not cause ``HistoryError/Code/expired``; a purge between
  /// the two pages can.
  public func next(after page: HistoryPage) -> HistoryRequest {
    var next = self
    if case .date(let date) = position { next.since = date }
    next.rest = page.rest
    if !page.gone.isEmpty { next.gone = page.gone }
    // If the first page ends within the first transaction of history, no token precedes that
    // transaction.
    if page.rest == nil || page.scannedThrough.number > 0 {
      next.position = .token(page.scannedThrough)
    }
    return next
  }
}

/// Additional limits of a page, for reads of a history of any size, such as by ``HistoryReader``.
///
/// With these limits, neither memory nor the duration of one read transaction grows with the
/// history.
package struct StreamingLimits: Sendable, Hashable {
  /// The number of bytes of tombstones after which the page ends.
  package var tombstoneBytesMax = 1 << 20
  /// The number of changes that were read but did not match, after which the page ends.
  package var skippedCountMax = 1_000_000

  package init() {}
}

/// A condition on the transactions and changes that a history request returns.
///
/// A filter is evaluated for each change. Conditions on the transaction, such as its author, are
/// the same for all changes of one transaction; conditions on the change, such as its entity, may
/// differ. A transaction matches when any of its changes does: `.not(.entity("Note"))` matches
/// transactions that changed another entity, even if they changed notes as well. A transaction
/// without changes matches when the filter holds for every possible change.
///
/// A request for transactions returns the matching ones with all of their changes; a request for
/// ``HistoryContents/changesOnly`` returns only the matching changes.
public indirect enum HistoryFilter: Sendable, Hashable {
  /// Transactions of one author; `nil` matches transactions without an author.
  case author(String?)
  /// Transactions of contexts with one name; `nil` matches transactions without a context name.
  case contextName(String?)
  /// Transactions of processes of one bundle; `nil` matches transactions without a bundle.
  case bundleID(String?)
  /// Transactions of one process; `nil` matches transactions without a process.
  case processID(String?)
  /// Transactions whose numbers lie in a range.
  case numbers(ClosedRange<TransactionNumber>)
  /// Transactions that were written within a range of time, according to the store's clock.
  case timestamps(ClosedRange<Date>)
  /// Changes of objects of one entity, by name.
  case entity(String)
  /// Changes of one type.
  case type(ChangeType)
  /// Changes of one object.
  ///
  /// History has no index by object, because every commit would have to update that index. The
  /// fetch therefore reads all changes after the position. With 1,000,000 transactions of 10
  /// changes, a fetch took 0.3 s of CPU time in the packed layout and 3.9 s in Core Data's layout
  /// (390 ns a row). In the packed layout, a change took 30 ns, or 6 ns in transactions without
  /// changes of the object's entity.
  case object(ObjectID)
  /// Changes that match every filter of a list; an empty list matches everything.
  case all([HistoryFilter])
  /// Changes that match at least one filter of a list; an empty list matches nothing.
  case any([HistoryFilter])
  /// Changes that do not match a filter.
  case not(HistoryFilter)
}

extension HistoryFilter {
  /// Converts a range of raw numbers from the file to a range for ``numbers(_:)``.
  package static func range(_ numbers: ClosedRange<Int64>) -> ClosedRange<TransactionNumber> {
    TransactionNumber(numbers.lowerBound)...TransactionNumber(numbers.upperBound)
  }

  /// Returns whether this filter can match purged transactions, and whether it can fail to match.
  ///
  /// The purged transactions have the author `author`, and numbers in the range `gone`.
  func verdict(
    forAuthor author: String?,
    numbers gone: ClosedRange<Int64>
  ) -> (canMatch: Bool, canFail: Bool) {
    switch self {
    case .author(let wanted): return (wanted == author, wanted != author)
    case .numbers(let numbers):
      let wanted = numbers.lowerBound.rawValue...numbers.upperBound.rawValue
      let isInside = wanted.lowerBound <= gone.lowerBound && gone.upperBound <= wanted.upperBound
      return (wanted.overlaps(gone), !isInside)
    case .contextName, .bundleID, .processID, .timestamps, .entity, .type, .object:
      return (true, true)
    case .all(let filters):
      let verdicts = filters.map { $0.verdict(forAuthor: author, numbers: gone) }
      return (verdicts.allSatisfy(\.canMatch), verdicts.contains(where: \.canFail))
    case .any(let filters):
      let verdicts = filters.map { $0.verdict(forAuthor: author, numbers: gone) }
      return (verdicts.contains(where: \.canMatch), verdicts.allSatisfy(\.canFail))
    case .not(let filter):
      let verdict = filter.verdict(forAuthor: author, numbers: gone)
      return (verdict.canFail, verdict.canMatch)
    }
  }
}
