public import PersistentHistory
import SQLiteStorage

extension Store {
  /// Fetches one page of history, in commit order, in one short read transaction.
  ///
  /// Go on with ``HistoryRequest/next(after:)`` while ``HistoryPage/hasMore`` is true.
  ///
  /// - Throws: ``HistoryError/expired(token:firstHeld:)`` when history of an author that the filter
  ///   lets through was purged above the token, ``HistoryError/rewound(token:head:)`` and
  ///   ``HistoryError/otherStore(token:store:)`` when the token is not of this history.
  /// - Complexity: linear in the transactions scanned after the position, whatever lies before it.
  public func fetch(_ request: HistoryRequest) throws(HistoryError) -> HistoryPage {
    try locked { core in
      try core.read { try core.fetch(request) }
    }
  }
}

extension StoreCore {
  fileprivate func fetch(_ request: HistoryRequest) throws -> HistoryPage {
    if request.filter != nil { try learnNewStrings() }
    let greatestPurged = try greatestPurged()
    var scan = HistoryScan(request, purged: [:])
    switch request.position {
    case .token(let token):
      if let token { try check(token, against: request.filter, greatestPurged) }
      scan.after = token?.number ?? 0
      if timestamps == .wallClock {
        scan.afterTimestamp = request.since?.timeIntervalSinceReferenceDate
      }
    case .date(let date):
      if timestamps == .monotone {
        scan.after = try lastNumber(notAfter: date.timeIntervalSinceReferenceDate)
      } else {
        scan.afterTimestamp = date.timeIntervalSinceReferenceDate
      }
    }
    // What is purged but not yet deleted is invisible.
    if scan.after < greatestPurged { scan.purged = try purgedByAuthor() }
    return try page(scan)
  }

  private func page(_ plan: HistoryScan) throws -> HistoryPage {
    var scan = plan
    let rows =
      try scan.meetsAll ? statement(.page) : query(scan.sql(rules, layout, strings))
    defer { rows.statement.reset() }
    rows.statement.bind(scan.after, at: 1)
    if let timestamp = scan.afterTimestamp { rows.statement.bind(timestamp, at: 2) }
    var hasMore = false
    while try rows.statement.step() {
      if scan.isFull {
        hasMore = true
        break
      }
      if scan.isPurged(rows.statement) { continue }
      guard scan.append(rows.statement) else { throw HistoryError.damagedTransaction(scan.number) }
      switch layout {
      case .packed: if rows.statement.isNull(9) { try appendChunks(to: &scan) }
      case .coreData: try appendRows(to: &scan)
      }
      guard scan.endTransaction() else { throw HistoryError.damagedTransaction(scan.number) }
    }
    if scan.greatestString > strings.completeThrough { try learnNewStrings() }
    findWriters(in: &scan)
    return HistoryPage(
      storeID: id,
      model: model,
      scannedThrough: try scannedThrough(scan, hasMore: hasMore),
      hasMore: hasMore,
      records: scan.records,
      changes: scan.unpacker.changes,
      tombstones: scan.unpacker.tombstones,
      strings: strings
    )
  }

  /// A page that ran to the end has scanned through the head, matching or not.
  private func scannedThrough(_ scan: HistoryScan, hasMore: Bool) throws -> HistoryToken {
    if hasMore, let last = scan.records.last {
      return HistoryToken(store: id, number: last.number, mark: last.mark)
    }
    // A scan that meets all has met the head, if there was anything after the position.
    guard scan.meetsAll, scan.number > 0 else { return try headToken() }
    return HistoryToken(store: id, number: scan.number, mark: scan.mark)
  }

  // MARK: Positions

  /// Refuses a token that is not of this history, or after which something is gone that the request
  /// would have returned.
  func check(
    _ token: HistoryToken,
    against filter: HistoryFilter?,
    _ greatestPurged: Int64
  ) throws {
    try checkIsOurs(token)
    guard token.number < greatestPurged else { return }
    let purged = try purgedByAuthor()
    if purged.values.contains(where: { $0 > token.number }) { try learnNewStrings() }
    let isGone = purged.contains { author, through in
      through > token.number
        && filter?.verdict(forAuthor: strings[author]).canMatch ?? true
    }
    if isGone {
      throw HistoryError.expired(token: token, firstHeld: try firstHeld(after: token.number))
    }
  }

  /// Refuses a token of another store, one above the head, and one whose transaction has another mark.
  ///
  /// - Complexity: one query of one row, and a second when the transaction is purged.
  func checkIsOurs(_ token: HistoryToken) throws {
    guard token.store == id else { throw HistoryError.otherStore(token: token, store: id) }
    guard token.number > 0 else { return }
    let mark = try mark(of: token.number)
    if mark == token.mark { return }
    let head = try lastNumber(head().number)
    guard mark == nil, token.number <= head else {
      throw HistoryError.rewound(token: token, head: head)
    }
  }

  /// The mark of a transaction that is still there.
  private func mark(of number: Int64) throws -> Int64? {
    let query = try statement(.mark)
    query.statement.bind(number, at: 1)
    defer { query.statement.reset() }
    return try query.statement.step() ? query.statement.int(0) : nil
  }

  /// The greatest number that any author has been purged through.
  func greatestPurged() throws -> Int64 {
    let query = try statement(.greatestPurged)
    defer { query.statement.reset() }
    return try query.statement.step() ? query.statement.int(0) : 0
  }

  /// How far history was purged, by author.
  func purgedByAuthor() throws -> [Int32: Int64] {
    let query = try statement(.authorsPurged)
    defer { query.statement.reset() }
    var purged: [Int32: Int64] = [:]
    while try query.statement.step() {
      purged[Int32(truncatingIfNeeded: query.statement.int(0))] = query.statement.int(1)
    }
    return purged
  }

  /// The first transaction after a number that a fetch could return.
  private func firstHeld(after number: Int64) throws -> Int64? {
    let query = try statement(.firstHeld)
    query.statement.bind(number, at: 1)
    defer { query.statement.reset() }
    return try query.statement.step() ? query.statement.int(0) : nil
  }

  /// The last transaction at or before a time, found by bisecting the numbers: times rise with them.
  ///
  /// - Complexity: a query for each doubling of the history.
  func lastNumber(notAfter timestamp: Double) throws -> Int64 {
    var low: Int64 = 0
    var high = try head().number
    while low < high {
      let middle = low + (high - low + 1) / 2
      guard let found = try row(atOrAfter: middle) else {
        high = middle - 1
        continue
      }
      if found.timestamp <= timestamp { low = found.number } else { high = middle - 1 }
    }
    return low
  }

  func row(atOrAfter number: Int64) throws -> (number: Int64, timestamp: Double)? {
    let query = try statement(.numberAtOrAfter)
    query.statement.bind(number, at: 1)
    defer { query.statement.reset() }
    guard try query.statement.step() else { return nil }
    return (query.statement.int(0), query.statement.real(1))
  }
}
