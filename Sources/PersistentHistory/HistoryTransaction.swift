/// One save or one batch request, as history holds it (Core Data: `NSPersistentHistoryTransaction`).
///
/// A view into its ``HistoryPage``: names are made only when asked for.
public struct HistoryTransaction: Sendable, Identifiable {
  /// The page that holds the transaction.
  package let page: HistoryPage
  /// The position of the transaction in its page.
  package let index: Int

  package init(page: HistoryPage, index: Int) {
    self.page = page
    self.index = index
  }

  /// The plain numbers of the transaction.
  package var record: TransactionRecord { page.records[index] }

  /// The transaction's position: number order is commit order.
  public var number: Int64 { record.number }
  /// The number, which is the same in every fetch.
  public var id: Int64 { record.number }
  /// When it was written, by the store's clock.
  public var timestamp: Date { Date(timeIntervalSinceReferenceDate: record.timestamp) }
  /// The store that holds it.
  public var storeID: StoreID { page.storeID }
  /// Who wrote it, or nothing.
  public var author: String? { page.string(record.author) }
  /// The name of the context that wrote it, or nothing.
  public var contextName: String? { page.string(record.contextName) }
  /// The bundle of the process that wrote it, or nothing.
  public var bundleID: String? { page.string(record.bundle) }
  /// The process that wrote it, or nothing.
  public var processID: String? {
    let strings = page.strings
    return strings.areLabels ? strings.label(of: record.process)?.name : strings[record.process]
  }
  /// The context that really wrote it, whatever author it names, or nothing for batch requests.
  public var writer: WriterID? { record.writer == 0 ? nil : WriterID(rawValue: record.writer) }
  /// The position right behind this transaction.
  public var token: HistoryToken {
    HistoryToken(store: page.storeID, number: record.number, mark: record.mark)
  }
  /// How many changes it has, whether or not the page holds them.
  public var changeCount: Int { record.total }
  /// The changes, one an object at most, as far as the request asked for them; each page of a
  /// ``HistoryReader`` may hold a part of those of a big transaction.
  public var changes: HistoryChanges {
    HistoryChanges(page: page, start: record.firstChange, end: record.firstChange + record.count)
  }
}

/// The plain numbers of one transaction; strings are numbers of interned strings, 0 is absent.
@usableFromInline
package struct TransactionRecord: Hashable, Sendable {
  @usableFromInline
  package var number: Int64
  /// Seconds since 2001-01-01 UTC.
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
  /// The writer's random number, 0 for none.
  @usableFromInline
  package var writer: Int64
  /// Where its changes start in the page.
  @usableFromInline
  package var firstChange: Int
  /// How many changes of it the page holds.
  @usableFromInline
  package var count: Int
  /// How many changes it has in history.
  @usableFromInline
  package var total: Int
  /// How many of its changes lie on earlier pages.
  @usableFromInline
  package var firstPlace: Int

  /// The numbers of no transaction.
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

/// The changes of one transaction, in the order of the page.
public struct HistoryChanges: RandomAccessCollection, Sendable {
  package let page: HistoryPage
  package let start: Int
  package let end: Int

  package init(page: HistoryPage, start: Int, end: Int) {
    self.page = page
    self.start = start
    self.end = end
  }

  /// The position of the first change.
  public var startIndex: Int { start }
  /// The position behind the last change.
  public var endIndex: Int { end }
  /// The change at a position.
  public subscript(position: Int) -> HistoryChange { HistoryChange(page: page, index: position) }
}
