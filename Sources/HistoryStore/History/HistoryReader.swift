public import HistoryTypes

/// Reads the history that a request selects, one page at a time and with bounded memory.
///
/// Each page is one short read transaction, so a long read does not delay other connections'
/// checkpoints. The connection of the reader has a small page cache, so memory does not grow with
/// the amount of history read. A history transaction with more changes than fit on a page is split
/// over several pages.
///
/// ```swift
/// var reader = try store.reader(HistoryRequest(after: token))
/// while let page = try reader.next() {
///   for transaction in page.transactions { index(transaction.changes) }
/// }
/// ```
public struct HistoryReader: Sendable {
  /// The maximum number of changes on a page (half a megabyte); a request may set a lower one.
  private static let changeCountMax = 16 * 1024
  /// The size of the connection's cache in KiB.
  ///
  /// A cache of the default size would grow with the pages that are read.
  private static let cacheSizeKiB: Int32 = 1024

  private let store: Store
  private var request: HistoryRequest?
  /// The position of the last scanned transaction, matching or not; `nil` before the first page.
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

  /// Opens another connection to a store's file, with a smaller page cache.
  ///
  /// Not called for a store that was opened for reading only, whose file must not change. The
  /// reader uses the connection of such a store, which has a small page cache already.
  private static func open(_ store: Store) throws(HistoryError) -> Store {
    var configuration = store.configuration
    configuration.cacheSizeKiB = Self.cacheSizeKiB
    return try Store(path: store.path, model: store.model, configuration: configuration)
  }

  /// Returns the next page that is not empty, or `nil` at the current end of history.
  ///
  /// - Throws: ``HistoryError/Code/expired`` when the next transactions were purged
  ///   since the last page; later calls throw it again.
  /// - Complexity: linear in the scanned history, with at most 16,384 changes in memory.
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
  /// Returns a reader of the selected history, for histories and transactions of any size.
  ///
  /// - Throws: ``HistoryError`` when the file cannot be opened again.
  /// - Complexity: opens one connection; no history is read.
  public func reader(_ request: HistoryRequest) throws(HistoryError) -> HistoryReader {
    try HistoryReader(self, request)
  }

  /// Returns the pages of the history that a request selects, read on demand.
  ///
  /// The pages are those of a ``HistoryReader``; reading them never blocks the caller's actor.
  ///
  /// - Complexity: no query until the first page is read.
  public func pages(_ request: HistoryRequest) -> HistoryPages {
    HistoryPages(store: self, request: request)
  }
}

/// The pages of the history that a request selects; each iteration reads them again.
public struct HistoryPages: AsyncSequence, Sendable {
  let store: Store
  let request: HistoryRequest

  /// Creates an iterator, which opens a connection to the file when it reads its first page.
  public func makeAsyncIterator() -> Iterator { Iterator(store: store, request: request) }

  /// An iterator that reads one page after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let store: Store
    let request: HistoryRequest
    private var reader: HistoryReader?

    init(store: Store, request: HistoryRequest) {
      self.store = store
      self.request = request
    }

    /// Returns the next page that is not empty, or `nil` at the current end of history.
    ///
    /// - Throws: ``HistoryError``, as ``HistoryReader/next()`` does.
    /// - Complexity: that of ``HistoryReader/next()``; the first call also opens a connection.
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
