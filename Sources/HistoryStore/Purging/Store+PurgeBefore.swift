public import HistoryTypes
import SQLiteStorage

extension Store {
  /// Purges history strictly before a token, and never above the watermark.
  ///
  /// The watermark is the lowest cursor of the active members. With `cuttingOff`, only consumers,
  /// which are members without contexts, limit the purge. A member with contexts that has not merged
  /// the purged history is then marked as lost in the first write transaction of the purge, and
  /// listed in the result.
  ///
  /// Core Data: `NSPersistentHistoryChangeRequest.deleteHistory(before:)`.
  ///
  /// - Parameters:
  ///   - token: The position; the transaction at this position is not purged.
  ///   - filter: The authors and contexts whose history is purged. The default selects all.
  ///   - cuttingOff: Whether the purge may delete history that members with contexts have not
  ///     merged. These members are then marked as lost. The default is `false`.
  /// - Returns: The outcome, with the number through which history is now purged.
  /// - Throws: ``HistoryError/Code/otherStore`` or ``HistoryError/Code/rewound`` for a token from a
  ///   different history; no history is then purged.
  /// - Complexity: linear in the purged history; with a filter on context names, linear in the
  ///   history before the token.
  @discardableResult
  public func purge(
    before token: HistoryToken,
    filter: PurgeFilter = PurgeFilter(),
    cuttingOff: Bool = false
  ) throws(HistoryError) -> PurgeResult {
    try lockedHistory { core in try core.read { try core.checkIsOurs(token) } }
    return try purge(through: max(token.number, 1) - 1, filter, cuttingOff)
  }

  /// Purges history strictly before a transaction, and never above the watermark.
  ///
  /// The watermark is the lowest cursor of the active members. The parameters have the same
  /// meanings as those of `purge(before:filter:cuttingOff:)` for a token.
  ///
  /// - Throws: the errors of `purge(before:filter:cuttingOff:)` for the transaction's token.
  /// - Complexity: that of `purge(before:filter:cuttingOff:)` for the transaction's token.
  @discardableResult
  public func purge(
    before transaction: HistoryTransaction,
    filter: PurgeFilter = PurgeFilter(),
    cuttingOff: Bool = false
  ) throws(HistoryError) -> PurgeResult {
    try purge(before: transaction.token, filter: filter, cuttingOff: cuttingOff)
  }

  /// Purges history strictly before a point in time, and never above the watermark.
  ///
  /// The watermark is the lowest cursor of the active members. If timestamps do not increase with
  /// numbers, the timestamp of every transaction is compared, and transactions may remain although
  /// others with higher numbers are purged.
  ///
  /// - Parameters:
  ///   - date: The time, compared with the timestamps of the store's clock; transactions at exactly
  ///     this time are not purged.
  ///   - filter: The authors and contexts whose history is purged. The default selects all.
  ///   - cuttingOff: Whether the purge may delete history that members with contexts have not
  ///     merged. These members are then marked as lost. The default is `false`.
  /// - Returns: The outcome, with the number through which history is now purged.
  /// - Throws: ``HistoryError/Code/sqlite``.
  /// - Complexity: linear in the purged history; with a filter on context names, or if timestamps
  ///   do not increase with numbers, linear in the history.
  @discardableResult
  public func purge(
    before date: Date,
    filter: PurgeFilter = PurgeFilter(),
    cuttingOff: Bool = false
  ) throws(HistoryError) -> PurgeResult {
    let seconds = date.timeIntervalSinceReferenceDate
    let last = try lockedHistory { core in
      core.timestamps == .monotone
        ? try core.read { try core.lastNumber(notAfter: seconds.nextDown) } : nil
    }
    if let last { return try purge(through: last, filter, cuttingOff) }
    return try purge(
      PartialPurge(filter: filter, through: .max, before: seconds, isCuttingOff: cuttingOff)
    )
  }

  /// Purges history that every member has merged; the filter selects authors and contexts.
  ///
  /// Core Data: `deleteHistory(before:)` with a fetch request on the author.
  ///
  /// - Throws: ``HistoryError/Code/untracked``, ``HistoryError/Code/openForReading`` or
  ///   ``HistoryError/Code/sqlite``. Request the same purge again to complete an interrupted one.
  /// - Complexity: linear in the purged history; with a filter on context names, linear in the
  ///   history.
  @discardableResult
  public func purge(filter: PurgeFilter) throws(HistoryError) -> PurgeResult {
    try purge(through: .max, filter, false)
  }

  private func purge(
    through wanted: Int64,
    _ filter: PurgeFilter,
    _ cuttingOff: Bool
  ) throws(HistoryError) -> PurgeResult {
    guard filter.contextNames == nil else {
      return try purge(
        PartialPurge(filter: filter, through: wanted, before: nil, isCuttingOff: cuttingOff)
      )
    }
    return try purge(
      PurgeOrder(wanted: wanted, authors: filter.authors, isCuttingOff: cuttingOff)
    )
  }

  /// Deletes transactions by time or context name; may keep transactions that precede deleted ones.
  ///
  /// One small transaction reads the registry, and expires every token that precedes a deleted
  /// transaction. The rows are then deleted in chunks. To complete an interrupted purge, request
  /// the same purge again.
  private func purge(_ partial: PartialPurge) throws(HistoryError) -> PurgeResult {
    let found = try lockedHistory { core in try core.read { try core.find(partial) } }
    let raised = try lockedHistory { core in try core.write { try core.raise(found) } }
    var deleted = 0
    var next: Int64? = 1
    while let first = next {
      let chunk = try lockedHistory { core in
        try core.write { try core.deletePartially(found, first, through: raised.bound) }
      }
      deleted += chunk.count
      next = chunk.next
    }
    return PurgeResult(
      purgedThrough: TransactionNumber(max(raised.bound, 0)),
      watermark: TransactionNumber(raised.watermark),
      transactionCount: deleted,
      isLimited: found.last.values.contains { $0 > raised.bound },
      isDue: true,
      lostMembers: raised.lost,
      timestampJumps: []
    )
  }
}

/// A purge by time or by context name; it may keep transactions that precede deleted ones.
struct PartialPurge {
  let filter: PurgeFilter
  /// The number of the last transaction that may be deleted.
  let through: Int64
  /// The time before which transactions are deleted, in seconds since 2001-01-01 UTC.
  ///
  /// `nil` deletes transactions of any time.
  let before: Double?
  /// Whether the purge also deletes history that a member with a context has not merged.
  ///
  /// Such a member is marked as lost, and must read its data again.
  let isCuttingOff: Bool
}

/// The transactions that a ``PartialPurge`` deletes from a store.
struct FoundPartialPurge {
  /// The SQL condition that selects the transactions; `before` is bound as `?3` unless it is `nil`.
  let condition: String
  let before: Double?
  let isCuttingOff: Bool
  /// For each author number, the number of the author's last transaction that the purge selects.
  let last: [Int32: Int64]
  /// The number of the newest transaction when this value was created.
  let head: Int64
}

extension StoreCore {
  /// Finds each author's last transaction that meets the conditions of a partial purge.
  fileprivate func find(_ partial: PartialPurge) throws -> FoundPartialPurge {
    let authors = Self.list(try purgeable(partial.filter.authors).keys)
    let contexts = partial.filter.contextNames.map { names in
      " AND \(layout.contextName) IN (\(Self.list(names.compactMap { cache.strings.number(of: $0) })))"
    }
    let condition =
      "\(layout.author) IN (\(authors))" + (contexts ?? "")
      + (partial.before == nil ? "" : " AND \(layout.timestamp) < ?3")
    let head = try head().number
    let query = try query(
      """
      SELECT \(layout.author), max(\(layout.number)) FROM \(layout.transactions)
      WHERE \(layout.number) >= ?1 AND \(layout.number) <= ?2 AND \(condition) GROUP BY 1
      """
    )
    bind(1, min(partial.through, head), partial.before, to: query)
    defer { query.statement.reset() }
    var last: [Int32: Int64] = [:]
    while try query.statement.step() {
      last[Int32(truncatingIfNeeded: query.statement.int(0))] = query.statement.int(1)
    }
    return FoundPartialPurge(
      condition: condition,
      before: partial.before,
      isCuttingOff: partial.isCuttingOff,
      last: last,
      head: head
    )
  }

  /// Expires every token that precedes a transaction to delete, and returns the purge's limits.
  ///
  /// If `found.isCuttingOff` is `true`, this method first marks as lost each member that has
  /// contexts and has not merged history up to the last transaction that the purge selects. The
  /// member need not have merged the newest transaction, because it is never deleted. The purge may
  /// delete transactions up to the number `bound`. For `watermark`, see ``purgeBound(_:)``.
  fileprivate func raise(
    _ found: FoundPartialPurge
  ) throws -> (bound: Int64, watermark: Int64, lost: [MemberID]) {
    let wanted = found.last.values.max() ?? 0
    let cut = try cut(PurgeOrder(wanted: wanted, isCuttingOff: found.isCuttingOff))
    let lost = try cutOff(before: cut.number)
    let (bound, watermark) = try purgeBound(wanted)
    let raise = try query(
      """
      INSERT INTO history_thinned VALUES(?1, ?2)
      ON CONFLICT(author) DO UPDATE SET through = max(through, excluded.through)
      """
    )
    for (author, last) in found.last where min(last, bound) > 0 {
      raise.statement.bind(Int64(author), at: 1)
      raise.statement.bind(min(last, bound), at: 2)
      try raise.statement.run()
    }
    return (bound, watermark, lost)
  }

  /// Deletes the transactions that meet the condition of `found` in a range of numbers from `from`.
  ///
  /// - Returns: The number of deleted transactions, and the start of the next range, or `nil` after
  ///   the last range.
  fileprivate func deletePartially(
    _ found: FoundPartialPurge,
    _ from: Int64,
    through bound: Int64
  ) throws -> (count: Int, next: Int64?) {
    guard let first = try row(atOrAfter: from)?.number, first <= bound else { return (0, nil) }
    let end = try chunkEnd(first, bound, [])
    let condition = "\(layout.number) >= ?1 AND \(layout.number) <= ?2 AND \(found.condition)"
    for sql in layout.deletions(where: condition, from: "?1", through: "?2") {
      let delete = try query(sql)
      bind(first, end, found.before, to: delete)
      try delete.statement.run()
    }
    return (Int(connection.changes), end < bound ? end + 1 : nil)
  }

  private func bind(
    _ first: Int64,
    _ end: Int64,
    _ before: Double?,
    to prepared: PreparedStatement
  ) {
    prepared.statement.bind(first, at: 1)
    prepared.statement.bind(end, at: 2)
    if let before { prepared.statement.bind(before, at: 3) }
  }
}
