import PersistentHistory
import SQLiteStorage

extension StoreCore {
  /// Where a member starts who has merged everything through a date.
  ///
  /// The kit fetches what is later than the date, strictly, and writes down the time of the last
  /// transaction that it merged. Another one of the same time may have come after that fetch, and so
  /// may one with an earlier time, where the clock stepped back: only what lies before the first
  /// transaction that is not earlier than the date is certainly merged.
  func find(_ cursors: KitCursors, _ author: String?) throws -> CursorImport {
    guard let date = author.flatMap({ cursors.dates[$0] }) else {
      return .ignored(.noDate(author: author))
    }
    let seconds = date.timeIntervalSinceReferenceDate
    let number: Int64
    if let next = try firstTransaction(notBefore: seconds) {
      number = next.number - 1
      // What is gone right below it was earlier than it, but perhaps not earlier than the date.
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

  /// The first transaction in commit order that is not earlier than a time.
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
