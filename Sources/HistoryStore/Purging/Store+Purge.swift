public import PersistentHistory
import SQLiteStorage

extension Store {
  /// Purges what every member has merged: the history at or below the watermark, but for protected
  /// authors' transactions and the newest one.
  ///
  /// The position is raised in one small transaction that reads the registry; from then on what is at
  /// or below it is invisible. The rows are deleted after that in chunks, each its own transaction; a
  /// purge that is interrupted is completed by the next.
  ///
  /// Members beyond the retention limits are marked as lost in that same small transaction. A limit
  /// holds only as far as every actor that said anything about retention agrees: the loosest counts.
  ///
  /// - Complexity: proportional to what is purged, however long the history is; with limits, at most
  ///   one look at each transaction that the slowest actor has not merged.
  @discardableResult
  public func purge(
    when trigger: PurgeTrigger = .always,
    retaining limits: RetentionLimits = RetentionLimits()
  ) throws(HistoryError) -> PurgeResult {
    try purge(PurgeOrder(trigger: trigger, limits: limits))
  }

  /// Purges for a member, who must still be the one that it thinks it is, and records in the same
  /// small transaction how far it has merged, if it says so.
  ///
  /// The position is recorded whether the purge is due or not.
  ///
  /// - Throws: ``HistoryError/superseded(_:)`` and its like, and what recording throws; nothing is
  ///   recorded or purged then.
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

  /// Does what an order says: raises what is purged, then deletes the rows.
  func purge(_ order: PurgeOrder) throws(HistoryError) -> PurgeResult {
    let isDue = try isDue(order.trigger)
    let raised = try lockedHistory { core in
      try core.witnessed { try core.write { try core.raisePurged(order, isDue: isDue) } }
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
      purgedThrough: raised.through,
      watermark: raised.watermark,
      transactionCount: deleted,
      isLimited: isDue && raised.through < order.wanted && order.wanted != .max,
      isDue: isDue,
      lostMembers: raised.lost,
      timestampJumps: raised.jumps
    )
  }

  /// The numbers of the transactions that the file holds and a fetch could return.
  ///
  /// - Complexity: one row a transaction; for tests and the lab.
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

/// What a purge is asked to do.
struct PurgeOrder {
  /// The last number that is to go.
  var wanted = Int64.max
  /// The authors whose history goes; all if there is no set.
  var authors: Set<String?>?
  /// When it takes place.
  var trigger = PurgeTrigger.always
  /// Beyond what it does not wait for an actor.
  var limits = RetentionLimits()
  /// Whether it does not wait for any actor at all.
  var isCuttingOff = false
  /// The member who asks, if one does.
  var registration: Registration?
  /// How far that has merged, to be recorded with it.
  var cursor: HistoryToken?
}

/// What the small transaction of a purge has done.
struct RaisedPurge {
  var through: Int64
  var watermark: Int64
  var hasRows: Bool
  var lost: [ActorID] = []
  var jumps: [TimestampJump] = []
}
