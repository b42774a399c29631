public import HistoryTypes

/// Requests whose result is not a page, such as a count.
///
/// Core Data: the cases of `NSPersistentHistoryResultType` without transactions. Each request reads one
/// consistent state of the history, and ignores the request's page limits.
extension Store {
  /// Returns the number of matching transactions, or changes for ``HistoryContents/changesOnly``.
  ///
  /// - Throws: ``HistoryError``, as ``fetch(_:)`` does.
  /// - Complexity: linear in the transactions after the position; changes are read only for a
  ///   filter that depends on them, and only of transactions that changed the filter's entities.
  public func count(_ request: HistoryRequest) throws(HistoryError) -> Int {
    try lockedHistory { core in try core.read { try core.count(request) } }
  }

  /// Returns the objects that the matching history changed, each once, ordered by entity and key.
  ///
  /// - Throws: ``HistoryError``, as ``fetch(_:)`` does.
  /// - Complexity: linear in the changes after the position; each object is in memory once.
  public func objectIDs(_ request: HistoryRequest) throws(HistoryError) -> [ObjectID] {
    try lockedHistory { core in try core.read { try core.objectIDs(request) } }
  }

  /// Returns whether any transaction matches a request.
  ///
  /// - Throws: ``HistoryError``, as ``fetch(_:)`` does.
  /// - Complexity: linear in the transactions before the first that matches.
  public func hasHistory(_ request: HistoryRequest) throws(HistoryError) -> Bool {
    var request = request
    request.contents = .transactionsOnly
    request.transactionCountMax = 1
    return try !fetch(request).transactions.isEmpty
  }

  /// Returns the transaction with a number and its changes, or `nil` if it is not in history.
  ///
  /// - Throws: ``HistoryError`` if the file cannot be read, or is damaged at the transaction.
  /// - Complexity: linear in the number of the transaction's changes.
  public func transaction(_ number: TransactionNumber) throws(HistoryError) -> HistoryTransaction? {
    let request = HistoryRequest(
      after: nil,
      filter: .numbers(number...number),
      transactionCountMax: 1
    )
    return try fetch(request).transactions.first
  }

  /// Returns the transaction that a token was created for, or `nil` when it is not in history.
  ///
  /// - Throws: ``HistoryError/Code/otherStore`` or ``HistoryError/Code/rewound`` for a token from a
  ///   different history.
  /// - Complexity: linear in the number of the transaction's changes.
  public func transaction(at token: HistoryToken) throws(HistoryError) -> HistoryTransaction? {
    try lockedHistory { core in try core.read { try core.checkIsOurs(token) } }
    return try transaction(TransactionNumber(token.number))
  }
}

extension StoreCore {
  /// The maximum number of transactions on each page that a count or a list of objects reads.
  private static let answerTransactionCountMax = 10_000

  fileprivate func count(_ request: HistoryRequest) throws -> Int {
    let readsChanges =
      try request.filter.map { filter in
        try CompiledFilter(filter, model, cache.strings).readsChanges
      }
    let wantsChanges = request.contents == .changesOnly
    var request = request
    if readsChanges != true || !wantsChanges { request.contents = .transactionsOnly }
    return try sum(request) { page in
      guard wantsChanges else { return page.records.count }
      return page.records.reduce(0) { sum, record in
        sum + (readsChanges == true ? record.count : record.total)
      }
    }
  }

  private func sum(_ request: HistoryRequest, _ part: (HistoryPage) -> Int) throws -> Int {
    var sum = 0
    try eachPage(request) { page in sum += part(page) }
    return sum
  }

  fileprivate func objectIDs(_ request: HistoryRequest) throws -> [ObjectID] {
    var request = request
    request.contents = .changesOnly
    var ids: Set<ObjectID> = []
    try eachPage(request) { page in ids.formUnion(page.changeRecords.lazy.map(\.objectID)) }
    return ids.sorted()
  }

  /// Reads all matching pages within the open read transaction, ignoring the request's limits.
  private func eachPage(_ request: HistoryRequest, _ body: (HistoryPage) -> Void) throws {
    var next: HistoryRequest? = request
    next?.transactionCountMax = Self.answerTransactionCountMax
    next?.streaming = StreamingLimits()
    while let wanted = next {
      let page = try fetch(wanted)
      body(page)
      next = page.hasMore ? wanted.next(after: page) : nil
    }
  }
}
