import SQLiteStorage

/// The time of activity in history, summed from the newest transaction backwards.
///
/// A gap of more than a day does not count: the device was off, or its clock was set. A step back
/// of the clock counts as 0.
struct ActiveTime {
  /// The maximum number of seconds between two transactions for which their gap counts.
  static let jump = 86_400.0

  private let limit: Double
  /// The number of seconds so far.
  private(set) var seconds = 0.0
  /// The gaps that did not count.
  private(set) var jumps: [TimestampJump] = []

  init(limit: Double) {
    self.limit = limit
  }

  /// The number of seconds left until the limit.
  var rest: Double { limit - seconds }

  /// Adds the gap before a transaction, and returns whether the sum exceeds the limit.
  mutating func add(_ gap: Double, below number: Int64) -> Bool {
    if abs(gap) > Self.jump {
      jumps.append(TimestampJump(number: number, seconds: gap))
    } else {
      seconds += max(0, gap)
    }
    return seconds > limit
  }
}

extension StoreCore {
  /// Returns the newest number above another whose transaction is older than a limit, or 0.
  ///
  /// - Complexity: where times rise with numbers, a few queries for each day of the limit and each
  ///   gap; otherwise one visit to each transaction.
  func ageCut(_ limit: Double, above least: Int64) throws -> RetentionCut {
    var time = ActiveTime(limit: limit)
    let cut =
      timestamps == .monotone
      ? try lastOld(&time, above: least) : try lastOldByScan(&time, above: least)
    return RetentionCut(number: cut ?? 0, jumps: time.jumps)
  }

  /// Goes back in steps of at most a day, within which no gap can be larger.
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

  /// Returns the earliest transaction within some seconds before another, or else its predecessor.
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
