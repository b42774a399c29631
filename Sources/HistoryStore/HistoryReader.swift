public import PersistentHistory

/// Reads the history that a request is about page by page, however long it is.
///
/// Each page is one short read transaction on a connection of the reader's own, whose cache is small:
/// no writer's log has to wait for a long read, and memory does not grow with what was read. A
/// transaction with more changes than a page holds comes in parts, one on each of several pages:
///
/// ```swift
/// var reader = try store.reader(HistoryRequest(after: token))
/// while let page = try reader.next() {
///   for transaction in page.transactions { index(transaction.changes) }
/// }
/// ```
public struct HistoryReader: Sendable {
  /// How many changes a page holds unless the request wants fewer: half a megabyte of them.
  private static let changeCountMax = 16 * 1024
  /// The size of the connection's cache in KiB; a cache as large as a store's own would grow by all
  /// that is read.
  private static let cacheSizeKiB: Int32 = 1024

  private let store: Store
  private var request: HistoryRequest?
  /// The position that was read through, matching or not; nothing before the first page.
  public private(set) var scannedThrough: HistoryToken?

  init(_ store: Store, _ request: HistoryRequest) throws(HistoryError) {
    self.store = store.isForReading ? store : try Self.open(store)
    guard self.store.id == store.id else {
      throw .replaced(path: store.path)
    }
    var request = request
    request.changeCountMax = min(request.changeCountMax, Self.changeCountMax)
    request.streaming = StreamingLimits()
    self.request = request
  }

  /// Opens the file of a store once more; one that is open for reading is not, since nothing of it may
  /// change, and its cache is small.
  private static func open(_ store: Store) throws(HistoryError) -> Store {
    var configuration = store.configuration
    configuration.cacheSizeKiB = Self.cacheSizeKiB
    return try Store(path: store.path, model: store.model, configuration: configuration)
  }

  /// The next page that holds anything, or nothing at the end of what history held by then.
  ///
  /// - Throws: ``HistoryError/expired(token:firstHeld:)`` when what comes next was purged meanwhile;
  ///   the error stays.
  public mutating func next() throws(HistoryError) -> HistoryPage? {
    while let wanted = request {
      let page = try store.fetch(wanted)
      request = page.hasMore ? wanted.next(after: page) : nil
      scannedThrough = page.scannedThrough
      if !page.transactions.isEmpty { return page }
    }
    return nil
  }
}

extension Store {
  /// A reader of the history that a request is about, for histories and transactions of any size.
  ///
  /// - Throws: ``HistoryError`` when the file cannot be opened once more.
  public func reader(_ request: HistoryRequest) throws(HistoryError) -> HistoryReader {
    try HistoryReader(self, request)
  }

  /// The pages of the history that a request is about, read as they are asked for.
  ///
  /// As ``HistoryReader``, for `for try await`; reading never blocks the caller's actor.
  public func pages(_ request: HistoryRequest) -> HistoryPages {
    HistoryPages(store: self, request: request)
  }
}

/// The pages of the history that a request is about; each iteration reads them anew.
public struct HistoryPages: AsyncSequence, Sendable {
  let store: Store
  let request: HistoryRequest

  /// Begins to read.
  public func makeAsyncIterator() -> Iterator { Iterator(store: store, request: request) }

  /// Reads one page after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let store: Store
    let request: HistoryRequest
    private var reader: HistoryReader?

    init(store: Store, request: HistoryRequest) {
      self.store = store
      self.request = request
    }

    /// The next page that holds anything, or nothing at the end of what history held by then.
    ///
    /// - Throws: ``HistoryError`` as ``HistoryReader/next()``.
    public mutating func next() async throws(HistoryError) -> HistoryPage? {
      let (page, reader) = try await Self.read(reader, store, request)
      self.reader = reader
      return page
    }

    @concurrent
    private static func read(
      _ reader: HistoryReader?,
      _ store: Store,
      _ request: HistoryRequest
    ) async throws(HistoryError) -> (HistoryPage?, HistoryReader) {
      var current = if let reader { reader } else { try store.reader(request) }
      return (try current.next(), current)
    }
  }
}
