public import PersistentHistory
import SQLiteStorage

extension Store {
  /// Fetches one page of history as ``fetch(_:)`` does, for a member who must still be the one that it
  /// thinks it is: one that was cut off is told so, whether what it needs is gone already or not.
  ///
  /// - Throws: ``HistoryError/lost(_:)``, ``HistoryError/superseded(_:)`` or
  ///   ``HistoryError/notAMember(_:)``, and what a fetch throws.
  /// - Complexity: that of a fetch, and one query of one row.
  public func fetch(
    _ request: HistoryRequest,
    by registration: Registration
  ) throws(HistoryError) -> HistoryPage {
    try lockedHistory { core in
      try core.read {
        try core.validate(registration)
        return try core.fetch(request)
      }
    }
  }

  /// Hands a consumer all that is new for it, page by page, and records after each page that it has
  /// taken it.
  ///
  /// A page without a transaction is not handed over, but what was scanned for it is recorded. A
  /// consumer that ends before the record gets the same page again: at least once, never not at all.
  /// No limit cuts a consumer off, so that nothing that it has not taken is purged as long as it is a
  /// member; one that nobody runs any more is ended by ``retire(_:)`` or ``forget(_:)``.
  ///
  /// ```swift
  /// let mirror = try store.join("mirror", kind: .consumer)
  /// try store.consume(mirror) { page in try upload(page.changes) }
  /// ```
  ///
  /// - Returns: the position that is recorded now.
  /// - Throws: ``HistoryError/stopped(_:)`` when the closure throws, and what fetching and recording
  ///   throw; the pages before stay recorded.
  /// - Complexity: linear in what is new, and one small write a page.
  @discardableResult
  public func consume(
    _ registration: Registration,
    filter: HistoryFilter? = nil,
    pageTransactionCountMax: Int = 1000,
    _ body: (HistoryPage) throws -> Void
  ) throws(HistoryError) -> HistoryToken {
    var position = try recordedCursor(of: registration)
    var hasMore = true
    while hasMore {
      let request = HistoryRequest(
        after: position,
        filter: filter,
        transactionCountMax: pageTransactionCountMax
      )
      let page = try fetch(request, by: registration)
      if !page.transactions.isEmpty { try run(body, page) }
      if page.scannedThrough != position {
        try record(registration, through: page.scannedThrough)
      }
      hasMore = page.hasMore && page.scannedThrough != position
      position = page.scannedThrough
    }
    return position
  }

  /// The position that a member has recorded, in this process or an earlier one.
  ///
  /// - Throws: as ``fetch(_:by:)``.
  /// - Complexity: one query of one row.
  public func recordedCursor(of registration: Registration) throws(HistoryError) -> HistoryToken {
    try lockedHistory { core in
      let row = try core.validate(registration)
      return HistoryToken(store: core.id, number: row.cursor, mark: row.mark)
    }
  }

  private func run(
    _ body: (HistoryPage) throws -> Void,
    _ page: HistoryPage
  ) throws(HistoryError) {
    do {
      try body(page)
    } catch {
      throw HistoryError(error)
    }
  }
}
