public import HistoryTypes
import SQLiteStorage

extension Store {
  /// Fetches one page of history for a member as ``fetch(_:)`` does, if its registration is valid.
  ///
  /// A member that a retention limit excluded gets an error, even if the history that it needs
  /// still exists.
  ///
  /// - Throws: ``HistoryError/Code/lost``, ``HistoryError/Code/superseded`` or
  ///   ``HistoryError/Code/notAMember``, and the errors of a fetch.
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

  /// Passes new history to a consumer page by page, and records its cursor after each page.
  ///
  /// A page without transactions is not passed on, but its scanned position is recorded. A consumer
  /// that terminates before the cursor is recorded gets the same page again: delivery is at least
  /// once. Retention limits never exclude a consumer, so history that it has not consumed is kept
  /// as long as it is a member. End the membership of an unused consumer with ``retire(_:)`` or
  /// ``forget(_:)``.
  ///
  /// ```swift
  /// let mirror = try store.join("mirror", kind: .consumer)
  /// try store.consume(mirror) { page in try upload(page.changes) }
  /// ```
  ///
  /// - Returns: the recorded position.
  /// - Throws: ``HistoryError/Code/stopped`` when the closure throws, and the errors of fetching and
  ///   recording; the pages before stay recorded.
  /// - Complexity: linear in the new history, and one small write per page.
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

  /// Returns the position that a member has recorded, in this process or an earlier one.
  ///
  /// - Throws: the errors of ``fetch(_:by:)``.
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
