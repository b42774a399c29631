public import HistoryStore
public import HistoryTypes

/// A reader of history without contexts, for a mirror, a search index or a sync process.
///
/// A consumer is a member, as a tracker is: history is kept until the consumer confirms it. Pages
/// that were returned but not confirmed are returned again after a restart. Core Data: a loop over
/// `NSPersistentHistoryChangeRequest.fetchHistory(after:)` with a stored `NSPersistentHistoryToken`.
///
/// ```swift
/// let index = try HistoryConsumer("search index", store: store)
/// while let page = try await index.next() {
///   for change in page.changes { update(change) }
///   try await index.confirm(page)
/// }
/// ```
public actor HistoryConsumer {
  /// The consumer's member name, under which the store records the confirmed position.
  public nonisolated let member: MemberID
  /// The store whose history is read.
  public nonisolated let store: Store
  private let filter: HistoryFilter?
  private let pageTransactionCountMax: Int
  private var registration: Registration
  /// The recorded position, after which the consumer continues when it is restarted.
  ///
  /// History through this position is no longer kept for the consumer.
  public private(set) var confirmed: HistoryToken
  /// The position through which ``next()`` has returned or skipped history.
  private var handedOut: HistoryToken

  /// Registers a consumer at the newest transaction, or continues at its confirmed position.
  ///
  /// - Parameters:
  ///   - member: The name of the consumer, which no other process may use.
  ///   - store: The store whose history is read.
  ///   - filter: The transactions and changes to return. The default is all.
  ///   - pageTransactionCountMax: The maximum number of transactions in a page. The default is 1000.
  /// - Throws: ``HistoryError/Code/inUse`` while another process runs the consumer,
  ///   ``HistoryError/Code/untracked`` if the store keeps no history, or ``HistoryError/Code/sqlite``.
  /// - Complexity: one write of one row.
  public init(
    _ member: MemberID,
    store: Store,
    filter: HistoryFilter? = nil,
    pageTransactionCountMax: Int = 1000
  ) throws(HistoryError) {
    let registration = try store.join(member, kind: .consumer)
    self.member = member
    self.store = store
    self.filter = filter
    self.pageTransactionCountMax = pageTransactionCountMax
    self.registration = registration
    confirmed = registration.cursor
    handedOut = registration.cursor
  }

  /// A Boolean value that indicates whether creating this instance registered a new member.
  ///
  /// History from before the registration is not returned.
  public var isNew: Bool { registration.isNew }

  /// Returns the next page that contains transactions, or `nil` at the end of history.
  ///
  /// History in which the filter matches no transaction is confirmed automatically, unless an
  /// earlier page is still unconfirmed.
  ///
  /// - Throws: ``HistoryError/Code/rewound`` if the file was replaced or restored from an older
  ///   copy; call ``resync()`` then. ``HistoryError/Code/superseded`` if another process has since
  ///   started the same consumer.
  /// - Complexity: linear in the number of transactions read.
  public func next() throws(HistoryError) -> HistoryPage? {
    var page: HistoryPage
    repeat {
      let isConfirmed = confirmed == handedOut
      page = try store.fetch(
        HistoryRequest(
          after: handedOut,
          filter: filter,
          transactionCountMax: pageTransactionCountMax
        ),
        by: registration
      )
      handedOut = page.scannedThrough
      guard page.transactions.isEmpty else { return page }
      if isConfirmed { try confirm(through: handedOut) }
    } while page.hasMore
    return nil
  }

  /// Confirms a page and all pages before it; their history is no longer kept for the consumer.
  ///
  /// - Throws: ``HistoryError/Code/superseded`` and similar errors; the confirmed position is then
  ///   unchanged.
  /// - Complexity: one write of one row.
  public func confirm(_ page: HistoryPage) throws(HistoryError) {
    try confirm(through: page.scannedThrough)
  }

  /// Confirms all history through a position, such as that of a stored token.
  ///
  /// - Throws: The errors of ``confirm(_:)``, and ``HistoryError/Code/otherStore`` or
  ///   ``HistoryError/Code/rewound`` for a token from a different history.
  /// - Complexity: one write of one row; none for a position that is already confirmed.
  public func confirm(through position: HistoryToken) throws(HistoryError) {
    guard position.number > confirmed.number else { return }
    try store.record(registration, through: position)
    confirmed = position
    if handedOut.number < position.number { handedOut = position }
  }

  /// Makes the next call of ``next()`` return the first unconfirmed history again.
  ///
  /// - Complexity: no query.
  public func startOver() {
    handedOut = confirmed
  }

  /// Continues at the newest transaction; the caller must rebuild its derived data from the store.
  ///
  /// - Returns: The position at which the consumer continues.
  /// - Throws: ``HistoryError/Code/superseded`` if another process has since started the same
  ///   consumer, or ``HistoryError/Code/notAMember`` if the consumer has retired.
  /// - Complexity: one query and one write of one row.
  @discardableResult
  public func resync() throws(HistoryError) -> HistoryToken {
    registration = try store.resync(registration)
    confirmed = registration.cursor
    handedOut = registration.cursor
    return confirmed
  }

  /// Ends the membership: history is no longer kept for the consumer.
  ///
  /// - Throws: ``HistoryError/Code/superseded`` if another process has since started the same
  ///   consumer, or ``HistoryError/Code/notAMember`` if the consumer has already retired.
  /// - Complexity: one write of one row.
  public func retire() throws(HistoryError) {
    try store.retire(registration)
  }
}
