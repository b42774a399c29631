public import HistoryTypes
import SQLiteStorage

extension Store {
  /// Fetches one page of history, in commit order, in one short read transaction.
  ///
  /// Continue with ``HistoryRequest/next(after:)`` while ``HistoryPage/hasMore`` is `true`.
  ///
  /// - Throws: ``HistoryError/Code/expired`` if purged history after the token may include
  ///   transactions that match the filter, ``HistoryError/Code/rewound`` or
  ///   ``HistoryError/Code/otherStore`` for a token from a different history, and
  ///   ``HistoryError/Code/damagedTransaction`` with the first transaction that cannot be read.
  /// - Complexity: linear in the transactions scanned after the position, independent of those
  ///   before.
  public func fetch(_ request: HistoryRequest) throws(HistoryError) -> HistoryPage {
    try lockedHistory { core in
      try core.read { try core.fetch(request) }
    }
  }
}

extension StoreCore {
  /// Fetches one page within the open read transaction.
  func fetch(_ request: HistoryRequest) throws -> HistoryPage {
    if request.filter != nil { try learnNewStrings() }
    let filter = try request.filter.map { filter in try CompiledFilter(filter, model, cache.strings)
    }
    let greatestGone = try greatestGone()
    var scan = HistoryScan(request, of: id, filter, layout)
    switch request.position {
    case .token(let token):
      if let token { try check(token, of: request, greatestGone) }
      scan.after = token?.number ?? 0
      if timestamps == .wallClock {
        scan.afterTimestamp = request.since?.timeIntervalSinceReferenceDate
      }
    case .date(let date):
      if timestamps == .monotone {
        scan.after = try lastNumber(notAfter: date.timeIntervalSinceReferenceDate)
      } else {
        let timestamp = date.timeIntervalSinceReferenceDate
        scan.afterTimestamp = timestamp
        if layout.indexesTimestamps { scan.after = try lastNumber(beforeAllLaterThan: timestamp) }
      }
    }
    if let rest = request.rest {
      // If the page ended within the first transaction, no earlier token exists: check the
      // transaction's own.
      try check(rest.token, of: request, greatestGone)
      scan.after = rest.token.number - 1
    }
    scan.skipToNumbers()
    if scan.after < greatestGone {
      // Transactions that are purged but not yet deleted are invisible.
      scan.purged = try purgedByAuthor()
      scan.gone = try goneByAuthor(scan.purged)
    }
    return try page(scan)
  }

  private func page(_ plan: HistoryScan) throws -> HistoryPage {
    var scan = plan
    let rows = try scan.meetsAll ? statement(.page) : statement(of: scan)
    defer { rows.statement.reset() }
    scan.bind(to: rows.statement)
    let hasMore = try fill(&scan, from: rows)
    if let unread = scan.unread {
      throw HistoryError.expired(token: unread.token, firstHeld: nil)
    }
    if scan.greatestString > cache.strings.completeThrough { try learnNewStrings() }
    findWriters(in: &scan)
    return scan.page(self, through: try scannedThrough(scan, hasMore), hasMore: hasMore)
  }

  /// Reads transactions until the page is full, and returns whether there are more.
  ///
  /// - Throws: ``HistoryError/Code/damagedTransaction``, also when SQLite reports a damaged file,
  ///   with the first transaction that could not be read.
  private func fill(_ scan: inout HistoryScan, from rows: PreparedStatement) throws -> Bool {
    do {
      while try rows.statement.step() {
        if scan.isFull { return true }
        guard !scan.isPurged(rows.statement) else { continue }
        try read(rows.statement, into: &scan)
        if scan.rest != nil { return true }
      }
      return false
    } catch let error as SQLiteError where error.cause == .corrupt {
      throw HistoryError.damagedTransaction(scan.unreadable)
    }
  }

  /// Returns the prepared statement of a scan with conditions.
  ///
  /// If the scan has the same SQL as the previous scan, the previous statement is reused.
  private func statement(of scan: HistoryScan) throws -> PreparedStatement {
    try statements.statement(of: scan, connection)
  }

  /// Reads the row of one transaction, and its changes if they are needed.
  private func read(_ row: borrowing Statement, into scan: inout HistoryScan) throws {
    try scan.begin(row)
    if scan.isLooking {
      try readChanges(row, into: &scan)
      scan.endLooking()
    }
    if scan.takesChanges { try readChanges(row, into: &scan) }
    scan.endTransaction()
  }

  private func readChanges(_ row: borrowing Statement, into scan: inout HistoryScan) throws {
    switch layout {
    case .packed: try readBlobs(row, into: &scan)
    case .coreData: try readRows(into: &scan)
    }
    guard scan.isWhole else { throw HistoryError.damagedTransaction(scan.record.number) }
  }

  /// Returns the token of the last transaction that the page covers completely, matching or not.
  ///
  /// Without further pages (`hasMore` is `false`), this is the newest transaction.
  private func scannedThrough(_ scan: HistoryScan, _ hasMore: Bool) throws -> HistoryToken {
    guard hasMore else {
      // Without a filter, the last transaction that the scan reached, if any, is the newest one.
      guard scan.meetsAll, scan.met.number > 0 else { return try headToken() }
      return HistoryToken(store: id, number: scan.met.number, mark: scan.met.mark)
    }
    if let last = scan.scanned {
      return HistoryToken(store: id, number: last.number, mark: last.mark)
    }
    if case .token(let token?) = scan.request.position { return token }
    return .beginning(of: id)
  }

  // MARK: Positions

  /// Throws for a token from a different history, or if history that the request needs was purged.
  ///
  /// Purges that the fetches of the request's earlier pages have found cause no error.
  private func check(
    _ token: HistoryToken,
    of request: HistoryRequest,
    _ greatestGone: Int64
  ) throws {
    try checkIsOurs(token)
    guard token.number < greatestGone else { return }
    let gone = try goneByAuthor(try purgedByAuthor()).filter { author, through in
      through > max(token.number, request.gone[author] ?? 0)
    }
    if !gone.isEmpty { try learnNewStrings() }
    let isGap = gone.contains { author, through in
      let numbers = max(token.number, request.gone[author] ?? 0) + 1...through
      return request.filter?.verdict(forAuthor: cache.strings[author], numbers: numbers).canMatch
        ?? true
    }
    if isGap {
      throw HistoryError.expired(token: token, firstHeld: try firstHeld(after: token.number))
    }
  }

  /// Throws if a token is from another store, or from a history that this file does not contain.
  ///
  /// Such a history may have existed before the file was restored from a backup. A token of that
  /// history has a number above the newest transaction, or its random mark differs from the mark of
  /// the transaction with the same number.
  ///
  /// - Complexity: one query of one row; up to two more queries if that row does not match the token.
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

  /// Returns a transaction's mark, or `nil` if the transaction is not in the file.
  ///
  /// The mark is a random number that the transaction's token repeats.
  func mark(of number: Int64) throws -> Int64? {
    let query = try statement(.mark)
    query.statement.bind(number, at: 1)
    defer { query.statement.reset() }
    return try query.statement.step() ? query.statement.int(0) : nil
  }

  /// Returns the greatest transaction number that a purge of any author's history has reached.
  func greatestGone() throws -> Int64 {
    let query = try statement(.greatestGone)
    defer { query.statement.reset() }
    return try query.statement.step() ? query.statement.int(0) : 0
  }

  /// Returns, by author number, the transaction number through which history is purged.
  ///
  /// Fetches do not return these transactions, even if some of their rows still exist.
  func purgedByAuthor() throws -> [Int32: Int64] { try byAuthor(.authorsPurged) }

  /// Returns, by author number, the transaction number up to which purges may have removed history.
  ///
  /// Combines `purged`, the result of ``purgedByAuthor()``, with the numbers of partial purges. A
  /// partial purge removes only the transactions that match a condition.
  func goneByAuthor(_ purged: [Int32: Int64]) throws -> [Int32: Int64] {
    purged.merging(try byAuthor(.authorsThinned), uniquingKeysWith: max)
  }

  private func byAuthor(_ kind: StoreStatement) throws -> [Int32: Int64] {
    let query = try statement(kind)
    defer { query.statement.reset() }
    var numbers: [Int32: Int64] = [:]
    while try query.statement.step() {
      numbers[Int32(truncatingIfNeeded: query.statement.int(0))] = query.statement.int(1)
    }
    return numbers
  }

  /// Returns the number of the first transaction above `number` that is not purged, or `nil`.
  private func firstHeld(after number: Int64) throws -> Int64? {
    let query = try statement(.firstHeld)
    query.statement.bind(number, at: 1)
    defer { query.statement.reset() }
    return try query.statement.step() ? query.statement.int(0) : nil
  }

  /// Returns the number of the last transaction at or before a time, or 0 if there is none.
  ///
  /// Timestamps must increase with numbers.
  ///
  /// - Complexity: a binary search, with one query for each doubling of the history.
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

  /// Returns one less than the number of the first transaction after a time.
  ///
  /// If no transaction is later, the result is the newest number.
  ///
  /// Timestamps need not increase with numbers.
  ///
  /// - Complexity: linear in the later transactions, reading only the index on timestamps; one
  ///   query if the very first transaction is later.
  private func lastNumber(beforeAllLaterThan timestamp: Double) throws -> Int64 {
    if let first = try row(atOrAfter: 1), first.timestamp > timestamp { return first.number - 1 }
    let query = try statement(.firstNumberLater)
    query.statement.bind(timestamp, at: 1)
    defer { query.statement.reset() }
    guard try query.statement.step(), !query.statement.isNull(0) else { return try head().number }
    return query.statement.int(0) - 1
  }

  func row(atOrAfter number: Int64) throws -> (number: Int64, timestamp: Double)? {
    let query = try statement(.numberAtOrAfter)
    query.statement.bind(number, at: 1)
    defer { query.statement.reset() }
    guard try query.statement.step() else { return nil }
    return (query.statement.int(0), query.statement.real(1))
  }
}
