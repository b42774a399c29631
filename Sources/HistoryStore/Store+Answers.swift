public import PersistentHistory

/// Answers about history that are no pages: Core Data's other result types.
///
/// Each reads one moment of the history, and leaves the request's limits of a page aside.
extension Store {
  /// How many transactions match a request, or how many changes if it is for
  /// ``HistoryContents/changesOnly``.
  ///
  /// - Throws: ``HistoryError`` as ``fetch(_:)``.
  /// - Complexity: linear in the transactions after the position; changes are read only for a filter
  ///   that asks about them, and only of transactions that changed the entities that it asks about.
  public func count(_ request: HistoryRequest) throws(HistoryError) -> Int {
    try lockedHistory { core in try core.read { try core.count(request) } }
  }

  /// The objects that the matching history changed, each once, in the order of entities and keys.
  ///
  /// - Throws: ``HistoryError`` as ``fetch(_:)``.
  /// - Complexity: linear in the changes after the position; holds each object once.
  public func objectIDs(_ request: HistoryRequest) throws(HistoryError) -> [ObjectID] {
    try lockedHistory { core in try core.read { try core.objectIDs(request) } }
  }

  /// Whether any transaction matches a request.
  ///
  /// - Throws: ``HistoryError`` as ``fetch(_:)``.
  /// - Complexity: linear in the transactions before the first that matches.
  public func hasHistory(_ request: HistoryRequest) throws(HistoryError) -> Bool {
    var request = request
    request.contents = .transactionsOnly
    request.transactionCountMax = 1
    return try !fetch(request).transactions.isEmpty
  }

  /// The transaction with a number and its changes, or nothing when history does not hold it.
  ///
  /// - Throws: ``HistoryError`` when the file cannot be read or is damaged there.
  /// - Complexity: linear in its changes.
  public func transaction(_ number: Int64) throws(HistoryError) -> HistoryTransaction? {
    let request = HistoryRequest(
      after: nil,
      filter: .numbers(number...number),
      transactionCountMax: 1
    )
    return try fetch(request).transactions.first
  }

  /// The transaction that a token was given out for, or nothing when history does not hold it.
  ///
  /// - Throws: ``HistoryError/otherStore(token:store:)`` and ``HistoryError/rewound(token:head:)``.
  public func transaction(at token: HistoryToken) throws(HistoryError) -> HistoryTransaction? {
    try lockedHistory { core in try core.read { try core.checkIsOurs(token) } }
    return try transaction(token.number)
  }
}

extension StoreCore {
  /// How many transactions are read at once where nothing of them is kept.
  private static let answerTransactionCountMax = 10_000

  fileprivate func count(_ request: HistoryRequest) throws -> Int {
    let readsChanges =
      try request.filter.map { filter in try CompiledFilter(filter, model, strings).readsChanges }
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

  /// Reads all that matches within the read transaction that is open, whatever limits the request has.
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
