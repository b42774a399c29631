public import HistoryTypes
import SQLiteStorage

extension Store {
  /// Purges the history that every member has merged.
  ///
  /// The purge deletes transactions at or below the watermark (the lowest cursor of all members),
  /// except the newest transaction and those of protected authors. One small write transaction
  /// reads the registry and raises the purged position; from then on, history at or below that
  /// position is invisible. The rows are then deleted in chunks, each in its own transaction; the
  /// next purge completes an interrupted one.
  ///
  /// In the same small write transaction, each member with contexts whose unmerged history exceeds
  /// the retention limits is marked as lost. If members with contexts have declared limits too, the
  /// loosest value of each limit applies; without `limits`, no member is marked as lost.
  ///
  /// - Parameters:
  ///   - trigger: The condition under which the purge takes place. The default is `always`.
  ///   - limits: The limits on unmerged history. The default keeps all history that a member needs.
  /// - Returns: The outcome; ``PurgeResult/isDue`` is `false` if the condition did not hold.
  /// - Throws: ``HistoryError/Code/untracked``, ``HistoryError/Code/openForReading`` or
  ///   ``HistoryError/Code/sqlite``; the next purge completes an interrupted one.
  /// - Complexity: linear in the purged history, independent of the total; with limits, at most one
  ///   visit to each transaction that the slowest member has not merged.
  @discardableResult
  public func purge(
    when trigger: PurgeTrigger = .always,
    retaining limits: RetentionLimits = RetentionLimits()
  ) throws(HistoryError) -> PurgeResult {
    try purge(PurgeOrder(trigger: trigger, limits: limits))
  }

  /// Purges on behalf of a member, and records the member's merged position if one is given.
  ///
  /// The registration must still be valid. The position is recorded in the small write transaction
  /// that starts the purge, even if the trigger postpones the purge itself.
  ///
  /// - Parameters:
  ///   - registration: The member's current registration.
  ///   - cursor: The last position that the member has merged. The default `nil` records none.
  ///   - trigger: The condition under which the purge takes place. The default is `always`.
  ///   - limits: The limits on unmerged history. The default keeps all history that a member needs.
  /// - Returns: The outcome; ``PurgeResult/isDue`` is `false` if the condition did not hold.
  /// - Throws: ``HistoryError/Code/superseded``, ``HistoryError/Code/lost`` or
  ///   ``HistoryError/Code/notAMember``, and the errors of recording. In these cases no position is
  ///   recorded and no history is purged.
  /// - Complexity: that of ``purge(when:retaining:)``, and one write of one row.
  @discardableResult
  public func purge(
    by registration: Registration,
    recording cursor: HistoryToken? = nil,
    when trigger: PurgeTrigger = .always,
    retaining limits: RetentionLimits = RetentionLimits()
  ) throws(HistoryError) -> PurgeResult {
    var order = PurgeOrder(trigger: trigger, limits: limits)
    order.registration = registration
    order.cursor = cursor
    return try purge(order)
  }

  /// Carries out a purge: raises the purged position, then deletes the rows.
  func purge(_ order: PurgeOrder) throws(HistoryError) -> PurgeResult {
    let isDue = try isDue(order.trigger)
    let raised = try lockedHistory { core in
      try core.observed { try core.write { try core.raisePurged(order, isDue: isDue) } }
    }
    var deleted = 0
    var isDone = !raised.hasRows
    while !isDone {
      // Another request may run between two chunks.
      let chunk = try lockedHistory { core in try core.write { try core.deleteChunk() } }
      deleted += chunk.count
      isDone = chunk.isLast
    }
    return PurgeResult(
      purgedThrough: TransactionNumber(raised.through),
      watermark: TransactionNumber(raised.watermark),
      transactionCount: deleted,
      isLimited: isDue && raised.through < order.wanted && order.wanted != .max,
      isDue: isDue,
      lostMembers: raised.lost,
      timestampJumps: raised.jumps
    )
  }

  /// Returns the numbers of the transactions in the file that a fetch could return.
  ///
  /// - Complexity: one row per transaction.
  package func heldNumbers() throws(HistoryError) -> [Int64] {
    try lockedHistory { core in
      try core.read {
        let purged = try core.purgedByAuthor()
        let rows = try core.query(
          """
          SELECT \(core.layout.number), \(core.layout.author) FROM \(core.layout.transactions)
          ORDER BY \(core.layout.number)
          """
        )
        defer { rows.statement.reset() }
        var numbers: [Int64] = []
        while try rows.statement.step() {
          let number = rows.statement.int(0)
          let author = Int32(truncatingIfNeeded: rows.statement.int(1))
          if number > purged[author] ?? 0 { numbers.append(number) }
        }
        return numbers
      }
    }
  }
}

/// The arguments of a purge.
struct PurgeOrder {
  /// The number of the last transaction to purge.
  var wanted = Int64.max
  /// The authors whose history is purged; a `nil` set selects all.
  var authors: Set<String?>?
  /// The condition under which the purge is carried out.
  var trigger = PurgeTrigger.always
  /// The limits on the unmerged history that the purge keeps for a member.
  var limits = RetentionLimits()
  /// Whether the purge may delete history that a member with contexts has not merged.
  ///
  /// Such a member is then marked as lost: it must load its contexts again.
  var isCuttingOff = false
  /// The registration of the member that requests the purge, if any.
  var registration: Registration?
  /// The merged position of the requesting member, to be recorded together with the purge.
  var cursor: HistoryToken?
}

/// The outcome of the SQLite transaction that raises the purged position at the start of a purge.
struct RaisedPurge {
  var through: Int64
  var watermark: Int64
  var hasRows: Bool
  var lost: [MemberID] = []
  var jumps: [TimestampJump] = []
}

extension Store {
  /// Deletes the history of some or all authors strictly before a time, even if it is unmerged.
  ///
  /// Core Data: `NSPersistentHistoryChangeRequest.deleteHistory(before:)` with a fetch request on
  /// the author. Apps purge with ``purge(when:retaining:)`` instead; this method is for tests, and
  /// for history-lab, which tests tracking designs published for Core Data. A later fetch by token
  /// reports missing history (Core Data: `NSPersistentHistoryTokenExpiredError`); a fetch by date
  /// does not.
  ///
  /// - Throws: ``HistoryError/Code/sqlite``; no history is then deleted.
  /// - Complexity: a scan of history.
  package func deleteHistory(
    before date: Date,
    authors: [String?]?
  ) throws(HistoryError) {
    try deleteHistory(of: authors) { core in
      let bound = date.timeIntervalSinceReferenceDate
      return ("\(core.layout.timestamp) < ?1", { $0.bind(bound, at: 1) })
    }
  }

  /// Deletes the history of some or all authors strictly before a number, even if it is unmerged.
  ///
  /// Core Data's request takes a token or a transaction instead of the number. This method is for
  /// tests, and for history-lab, which tests tracking designs published for Core Data.
  ///
  /// - Throws: ``HistoryError/Code/sqlite``; no history is then deleted.
  /// - Complexity: a scan of history.
  package func deleteHistory(
    before number: TransactionNumber,
    authors: [String?]?
  ) throws(HistoryError) {
    try deleteHistory(of: authors) { core in
      ("\(core.layout.number) < ?1", { $0.bind(number.rawValue, at: 1) })
    }
  }

  /// Deletes the transactions that match a condition with one parameter.
  ///
  /// Only transactions of the given authors are deleted; `nil` selects all authors.
  private func deleteHistory(
    of authors: [String?]?,
    where bounded: (StoreCore) -> (sql: String, bind: (borrowing Statement) -> Void)
  ) throws(HistoryError) {
    try lockedHistory { core in
      try core.write {
        try core.learnNewStrings()
        let head = try core.head().number
        let filter = authors.map { HistoryFilter.any($0.map { .author($0) }) }
        let compiled = try filter.map { try CompiledFilter($0, core.model, core.cache.strings) }
        let matching = compiled.map { " AND " + FilterSQL($0, core.layout).possible } ?? ""
        let bound = bounded(core)
        let condition = bound.sql + matching
        let statements =
          [core.layout.partialPurge(where: condition)]
          + core.layout.deletions(where: condition)
        for sql in statements {
          let delete = try core.query(sql)
          bound.bind(delete.statement)
          try delete.statement.run()
        }
        try core.connection.execute(
          "UPDATE history_metadata SET value = max(value, \(head)) WHERE name = 'numbered'"
        )
      }
    }
  }
}

extension HistoryLayout {
  /// SQL that records, for each author, the number of the last transaction that matches a condition.
  ///
  /// The statement runs before the matching transactions are deleted.
  fileprivate func partialPurge(where condition: String) -> String {
    """
    INSERT INTO history_thinned
    SELECT \(author), max(\(number)) FROM \(transactions) WHERE \(condition) GROUP BY 1
    ON CONFLICT(author) DO UPDATE SET through = max(through, excluded.through)
    """
  }
}
