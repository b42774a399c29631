public import HistoryStore
public import PersistentHistory

/// A reader of history without a view: a mirror, a search index, a sync process.
///
/// It is a member as a tracker's actor is: history is kept for it until it has confirmed it. What it was
/// handed and has not confirmed comes again after a restart.
///
/// ```swift
/// let index = try HistoryConsumer("search index", store: store)
/// while let page = try await index.next() {
///   for change in page.changes { update(change) }
///   try await index.confirm(page)
/// }
/// ```
public actor HistoryConsumer {
  /// The member.
  public nonisolated let member: ActorID
  /// The store that is read.
  public nonisolated let store: Store
  private let filter: HistoryFilter?
  private let pageTransactionCountMax: Int
  private var registration: Registration
  /// The position through which everything was confirmed.
  public private(set) var confirmed: HistoryToken
  /// The position through which history was handed out, or read and found without a match.
  private var handedOut: HistoryToken

  /// Registers a consumer at the head, or takes up where it had confirmed.
  ///
  /// - Throws: ``HistoryError``.
  /// - Complexity: one write of one row.
  public init(
    _ member: ActorID,
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

  /// Whether the consumer registered just now: what the store held before is not told.
  public var isNew: Bool { registration.isNew }

  /// Fetches the next page that holds anything, or nothing at the end of history.
  ///
  /// What was read and holds nothing is confirmed by itself, unless something before it is not.
  ///
  /// - Throws: ``HistoryError/rewound(token:head:)`` when the file was replaced or went back in time,
  ///   ``HistoryError/superseded(_:)`` when another process took over; after the first, resync.
  /// - Complexity: linear in the transactions read.
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

  /// Confirms a page: the history through it is not kept for the consumer any more.
  ///
  /// Pages before it are confirmed with it.
  ///
  /// - Throws: ``HistoryError/superseded(_:)`` and its like; nothing is written then.
  /// - Complexity: one write of one row.
  public func confirm(_ page: HistoryPage) throws(HistoryError) {
    try confirm(through: page.scannedThrough)
  }

  /// Confirms everything through a position, as a token that was kept tells it.
  ///
  /// - Throws: as ``confirm(_:)``, ``HistoryError/otherStore(token:store:)`` and
  ///   ``HistoryError/rewound(token:head:)`` for a position that is none of this history.
  public func confirm(through position: HistoryToken) throws(HistoryError) {
    guard position.number > confirmed.number else { return }
    try store.record(registration, through: position)
    confirmed = position
    if handedOut.number < position.number { handedOut = position }
  }

  /// Hands out again what was not confirmed.
  public func startOver() {
    handedOut = confirmed
  }

  /// Goes on from the head; what the consumer holds must be made anew from the data.
  ///
  /// - Returns: the position from which it goes on.
  @discardableResult
  public func resync() throws(HistoryError) -> HistoryToken {
    registration = try store.resync(registration)
    confirmed = registration.cursor
    handedOut = registration.cursor
    return confirmed
  }

  /// Ends the membership: history is not kept for the consumer any more.
  public func retire() throws(HistoryError) {
    try store.retire(registration)
  }
}
