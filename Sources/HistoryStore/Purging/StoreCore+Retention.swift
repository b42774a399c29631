import HistoryTypes
import SQLiteStorage

/// The lowest cursor that a purge allows members with contexts, and the timestamp jumps found.
struct RetentionCut {
  /// The transaction number up to which a member with contexts must have merged to remain active.
  var number: Int64 = 0
  /// The timestamp jumps of more than a day, newest first; the age limit does not count their time.
  var jumps: [TimestampJump] = []
}

extension StoreCore {
  /// Returns the lowest cursor with which a member with contexts is not marked as lost by a purge.
  func cut(_ order: PurgeOrder) throws -> RetentionCut {
    var cut = try retentionCut(order.limits)
    if order.isCuttingOff {
      cut.number = max(cut.number, min(order.wanted, try head().number - 1))
    }
    return cut
  }

  /// Marks members with cursors below a number as lost, and returns their names; consumers are exempt.
  func cutOff(before number: Int64) throws -> [MemberID] {
    guard number > 0 else { return [] }
    let update = try query(
      "UPDATE history_member SET state = 2 WHERE state = 0 AND kind = 0 AND cursor < ?1 RETURNING id"
    )
    update.statement.bind(number, at: 1)
    defer { update.statement.reset() }
    var lost: [MemberID] = []
    while try update.statement.step() {
      if let name = update.statement.text(0), !name.isEmpty { lost.append(MemberID(name)) }
    }
    return lost.sorted()
  }

  /// Returns the lowest cursor within the retention limits, and timestamp gaps of more than a day.
  ///
  /// For each limit, the loosest value applies: that of `limits`, or one that an active member with
  /// contexts declared. `nil` is the loosest value: the limit is then not applied. Members without
  /// declared limits have no influence. The search for the age limit found the returned gaps;
  /// without an age limit, none are returned.
  private func retentionCut(_ limits: RetentionLimits) throws -> RetentionCut {
    guard !limits.isOff else { return RetentionCut() }
    let agreed = try activeConfigurations(.tracker).compactMap(\.retention)
      .reduce(limits) { $0.loosened(by: $1) }
    let head = try head().number
    guard !agreed.isOff, let least = try leastActorCursor(), least < head else {
      return RetentionCut()
    }
    var cut = RetentionCut()
    if let age = agreed.age { cut = try ageCut(age.inSeconds, above: least) }
    if let count = agreed.transactionCount { cut.number = max(cut.number, head - Int64(count)) }
    if let bytes = agreed.byteCount {
      cut.number = max(cut.number, try byteCut(Int64(bytes), least, head))
    }
    return cut
  }

  private func leastActorCursor() throws -> Int64? {
    let least = try query("SELECT min(cursor) FROM history_member WHERE state = 0 AND kind = 0")
    defer { least.statement.reset() }
    guard try least.statement.step(), !least.statement.isNull(0) else { return nil }
    return least.statement.int(0)
  }

  /// Returns the lowest transaction number after which history takes at most `limit` bytes.
  ///
  /// The number is 0 if the history after `least` does not exceed the limit.
  ///
  /// - Complexity: a binary search. Each step reads half of the range that the step before it left,
  ///   so all steps together read at most as many transactions as there are after `least`.
  private func byteCut(_ limit: Int64, _ least: Int64, _ head: Int64) throws -> Int64 {
    var (low, high, behind) = (least, head, Int64(0))
    guard try bytesUnmerged(least, head) > limit else { return 0 }
    // Invariant: history after `low` exceeds the limit, and history after `high` does not.
    while high - low > 1 {
      let middle = low + (high - low) / 2
      let sum = behind + (try bytes(after: middle, through: high))
      if sum > limit { low = middle } else { (high, behind) = (middle, sum) }
    }
    return high
  }

  /// Returns the bytes of history after `least`, the cursor of the slowest member.
  ///
  /// Only transactions since the previous call are read, unless `least` has changed.
  private func bytesUnmerged(_ least: Int64, _ head: Int64) throws -> Int64 {
    var sum = positions.byteSum
    if sum.after != least || sum.through > head { sum = ByteSum(after: least, through: least) }
    sum.bytes += try bytes(after: sum.through, through: head)
    sum.through = head
    positions.byteSum = sum
    return sum.bytes
  }
}

/// The size in bytes of a range of transactions; it is constant while the transactions exist.
struct ByteSum {
  var after: Int64 = 0
  var through: Int64 = 0
  var bytes: Int64 = 0
}

/// The sum of the time gaps between consecutive transactions, from the newest one backwards.
///
/// A gap of more than a day counts as 0, because the device may have been off, or its clock may have
/// been set. A step back of the clock counts as 0, too.
struct ActiveTime {
  /// The longest gap between transactions that counts, in seconds; a longer gap counts as 0.
  static let jump = 86_400.0

  private let limit: Double
  /// The sum of the gaps between transactions that were added so far, in seconds.
  private(set) var seconds = 0.0
  /// The time gaps of more than a day in either direction, which the sum does not include.
  private(set) var jumps: [TimestampJump] = []

  init(limit: Double) {
    self.limit = limit
  }

  /// The number of seconds by which the sum ``seconds`` may still grow within the age limit.
  var rest: Double { limit - seconds }

  /// Adds the time from an earlier transaction to transaction `number`, or records it as a jump.
  ///
  /// Returns whether the sum ``seconds`` now exceeds the age limit.
  mutating func add(_ gap: Double, below number: Int64) -> Bool {
    if abs(gap) > Self.jump {
      jumps.append(
        TimestampJump(
          number: TransactionNumber(number),
          difference: Duration(clampedSeconds: gap)
        )
      )
    } else {
      seconds += max(0, gap)
    }
    return seconds > limit
  }
}

extension StoreCore {
  /// Finds the newest transaction with a number above `least` that is older than the age limit.
  ///
  /// The result has that transaction's number, or 0 if there is none, and the timestamp jumps (gaps
  /// of more than a day) that the search passed.
  ///
  /// - Complexity: if timestamps increase with numbers, a few queries for each day of the limit and
  ///   each gap of more than a day; otherwise one visit to each transaction.
  func ageCut(_ limit: Double, above least: Int64) throws -> RetentionCut {
    var time = ActiveTime(limit: limit)
    let cut =
      timestamps == .monotone
      ? try lastOld(&time, above: least) : try lastOldByScan(&time, above: least)
    return RetentionCut(number: cut ?? 0, jumps: time.jumps)
  }

  /// Returns the number of the newest transaction beyond the age limit, or `nil` if there is none.
  ///
  /// Timestamps must increase with numbers. The search goes from the newest transaction back, at
  /// most to the oldest one above `least`. Each step goes to the oldest transaction within a day, or
  /// else to the one just before, which is then more than a day older. The time of each step is
  /// passed to `time`.
  private func lastOld(_ time: inout ActiveTime, above least: Int64) throws -> Int64? {
    guard var later = try row(atOrBefore: .max, above: least) else { return nil }
    while let earlier = try rowBefore(later, within: ActiveTime.jump, above: least) {
      let rest = time.rest
      if time.add(later.timestamp - earlier.timestamp, below: later.number) {
        return try lastNumber(notAfter: (later.timestamp - rest).nextDown)
      }
      later = earlier
    }
    return nil
  }

  /// Returns the oldest transaction that is at most `seconds` older than the transaction `later`.
  ///
  /// If none is that recent, returns the transaction just before `later`. Transactions up to
  /// `least` are ignored: the result is `nil` if all transactions before `later` are among them.
  private func rowBefore(
    _ later: (number: Int64, timestamp: Double),
    within seconds: Double,
    above least: Int64
  ) throws -> (number: Int64, timestamp: Double)? {
    let last = try lastNumber(notAfter: (later.timestamp - seconds).nextDown)
    let first = try row(atOrAfter: max(last, least) + 1)
    if let first, first.number < later.number { return first }
    return try row(atOrBefore: later.number - 1, above: least)
  }

  private func row(
    atOrBefore number: Int64,
    above least: Int64
  ) throws -> (number: Int64, timestamp: Double)? {
    let rows = try timestampsBackwards(from: number, above: least)
    defer { rows.statement.reset() }
    guard try rows.statement.step() else { return nil }
    return (rows.statement.int(0), rows.statement.real(1))
  }

  private func lastOldByScan(_ time: inout ActiveTime, above least: Int64) throws -> Int64? {
    let rows = try timestampsBackwards(from: .max, above: least)
    defer { rows.statement.reset() }
    var later: (number: Int64, timestamp: Double)?
    while try rows.statement.step() {
      let (number, timestamp) = (rows.statement.int(0), rows.statement.real(1))
      if let later, time.add(later.timestamp - timestamp, below: later.number) { return number }
      later = (number, timestamp)
    }
    return nil
  }

  private func timestampsBackwards(
    from number: Int64,
    above least: Int64
  ) throws -> PreparedStatement {
    let rows = try query(
      """
      SELECT \(layout.number), \(layout.timestamp) FROM \(layout.transactions)
      WHERE \(layout.number) <= ?1 AND \(layout.number) > ?2 ORDER BY \(layout.number) DESC
      """
    )
    rows.statement.bind(number, at: 1)
    rows.statement.bind(least, at: 2)
    return rows
  }
}
