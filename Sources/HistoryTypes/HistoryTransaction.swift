/// One save or batch request in history (Core Data: `NSPersistentHistoryTransaction`).
///
/// A transaction is a view into its ``HistoryPage``: strings are resolved on access.
public struct HistoryTransaction: Sendable, Identifiable {
  /// The page that contains the transaction.
  package let page: HistoryPage
  /// The index of the transaction in its page.
  package let index: Int

  package init(page: HistoryPage, index: Int) {
    self.page = page
    self.index = index
  }

  package var record: TransactionRecord { page.records[index] }

  /// The number of the transaction; numbers increase in commit order.
  public var number: TransactionNumber { TransactionNumber(record.number) }
  /// The number, which is the same in every fetch.
  public var id: TransactionNumber { number }
  /// The time at which the transaction was written, by the store's clock.
  public var timestamp: Date { Date(timeIntervalSinceReferenceDate: record.timestamp) }
  /// The store that contains the transaction.
  public var storeID: StoreID { page.storeID }
  /// The author of the transaction, or `nil`.
  public var author: String? { page.string(record.author) }
  /// The name of the context that wrote the transaction, or `nil`.
  public var contextName: String? { page.string(record.contextName) }
  /// The bundle identifier of the process that wrote the transaction, or `nil`.
  public var bundleID: String? { page.string(record.bundle) }
  /// The name of the process that wrote the transaction, or `nil`.
  public var processID: String? {
    let strings = page.strings
    return strings.areLabels ? strings.label(of: record.process)?.name : strings[record.process]
  }
  /// The context that wrote the transaction, regardless of its author; `nil` for batch requests.
  public var writer: WriterID? { record.writer == 0 ? nil : WriterID(rawValue: record.writer) }
  /// The position directly after this transaction.
  public var token: HistoryToken {
    HistoryToken(store: page.storeID, number: record.number, mark: record.mark)
  }
  /// The number of the transaction's changes in history, whether or not the page contains them.
  public var changeCount: Int { record.total }
  /// The transaction's changes that match the filter of the fetch, at most one for each object.
  ///
  /// The changes of a large transaction may be split between several pages of a `HistoryReader`.
  public var changes: HistoryChanges {
    HistoryChanges(page: page, start: record.firstChange, end: record.firstChange + record.count)
  }
}

/// The compact record of one transaction.
///
/// The fields for text contain the numbers of interned strings; 0 stands for `nil`.
@usableFromInline
package struct TransactionRecord: Hashable, Sendable {
  @usableFromInline
  package var number: Int64
  /// The time of the transaction, in seconds since 2001-01-01 UTC.
  @usableFromInline
  package var timestamp: Double
  @usableFromInline
  package var mark: Int64
  @usableFromInline
  package var author: Int32
  @usableFromInline
  package var contextName: Int32
  @usableFromInline
  package var bundle: Int32
  @usableFromInline
  package var process: Int32
  /// The random ID of the context that wrote the transaction; 0 if no context wrote it.
  @usableFromInline
  package var writer: Int64
  /// The index in the page of the transaction's first change.
  @usableFromInline
  package var firstChange: Int
  /// The number of the transaction's changes that the page contains.
  @usableFromInline
  package var count: Int
  /// The number of all changes of the transaction in history, on this page or not.
  @usableFromInline
  package var total: Int
  /// The number of the transaction's changes that were read for earlier pages.
  @usableFromInline
  package var firstPlace: Int

  /// Creates an empty record: all fields are 0.
  package init() {
    self.init(
      number: 0,
      timestamp: 0,
      mark: 0,
      author: 0,
      contextName: 0,
      bundle: 0,
      process: 0,
      writer: 0,
      firstChange: 0,
      count: 0
    )
  }

  @inlinable
  package init(
    number: Int64,
    timestamp: Double,
    mark: Int64,
    author: Int32,
    contextName: Int32,
    bundle: Int32,
    process: Int32,
    writer: Int64,
    firstChange: Int,
    count: Int,
    total: Int? = nil,
    firstPlace: Int = 0
  ) {
    self.number = number
    self.timestamp = timestamp
    self.mark = mark
    self.author = author
    self.contextName = contextName
    self.bundle = bundle
    self.process = process
    self.writer = writer
    self.firstChange = firstChange
    self.count = count
    self.total = total ?? count
    self.firstPlace = firstPlace
  }
}

/// The changes of a transaction or of a page, in page order.
public struct HistoryChanges: RandomAccessCollection, Sendable {
  package let page: HistoryPage
  package let start: Int
  package let end: Int

  package init(page: HistoryPage, start: Int, end: Int) {
    self.page = page
    self.start = start
    self.end = end
  }

  /// The index of the first change.
  public var startIndex: Int { start }
  /// The index after the last change.
  public var endIndex: Int { end }
  /// The change at an index.
  public subscript(position: Int) -> HistoryChange { HistoryChange(page: page, index: position) }
}
