import PersistentHistory
import SQLiteStorage

extension StoreCore {
  /// Returns the start of a member that has merged everything through a date.
  ///
  /// The kit fetches transactions strictly later than the date, and stores the time of the last
  /// transaction that it merged. Another transaction of the same time may have been written after
  /// that fetch, or one with an earlier time where the clock stepped back: only the history before
  /// the first transaction that is not earlier than the date is certainly merged.
  func find(_ cursors: KitCursors, _ author: String?) throws -> CursorImport {
    guard let date = author.flatMap({ cursors.dates[$0] }) else {
      return .ignored(.noDate(author: author))
    }
    let seconds = date.timeIntervalSinceReferenceDate
    let number: Int64
    if let next = try firstTransaction(notBefore: seconds) {
      number = next.number - 1
      // History that is gone right below it was earlier than it, but perhaps not than the date.
      if number > 0, next.timestamp > seconds, try mark(of: number) == nil {
        return .ignored(.historyIsGone(date: date))
      }
    } else {
      number = try head().number
    }
    guard number >= (try greatestGone()) else { return .ignored(.historyIsGone(date: date)) }
    let mark = try mark(of: number) ?? 0
    return .imported(HistoryToken(store: id, number: number, mark: mark), date: date)
  }

  /// Returns the first transaction in commit order that is not earlier than a time.
  private func firstTransaction(
    notBefore seconds: Double
  ) throws -> (number: Int64, timestamp: Double)? {
    if timestamps == .monotone {
      return try row(atOrAfter: try lastNumber(notAfter: seconds.nextDown) + 1)
    }
    let first = try query(
      """
      SELECT \(layout.number), \(layout.timestamp) FROM \(layout.transactions)
      WHERE \(layout.timestamp) >= ?1 ORDER BY \(layout.number) LIMIT 1
      """
    )
    first.statement.bind(seconds, at: 1)
    defer { first.statement.reset() }
    guard try first.statement.step() else { return nil }
    return (first.statement.int(0), first.statement.real(1))
  }
}
