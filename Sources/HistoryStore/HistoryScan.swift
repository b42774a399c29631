import PersistentHistory
import SQLiteStorage

/// A fetch under way: where it starts, what it lets through, and what it has read so far.
struct HistoryScan {
  var after: Int64 = 0
  /// Set when times do not rise with numbers and every transaction's must be compared.
  var afterTimestamp: Double?
  /// How far each author was purged; empty when nothing after the position was.
  var purged: [Int32: Int64]
  private let filter: HistoryFilter?
  private let transactionCountMax: Int
  private let changeCountMax: Int

  /// How many bytes of tombstones one page holds before it ends.
  private static let tombstoneBytesMax = 64 << 20

  var records: [TransactionRecord] = []
  var unpacker = ChangeUnpacker()
  /// The transaction that was met last, purged ones included.
  private(set) var number: Int64 = 0
  /// Its mark.
  private(set) var mark: Int64 = 0
  /// The greatest number of a string that was met.
  private(set) var greatestString: Int32 = 0

  init(_ request: HistoryRequest, purged: [Int32: Int64]) {
    filter = request.filter
    transactionCountMax = max(1, request.transactionCountMax)
    changeCountMax = max(1, request.changeCountMax)
    self.purged = purged
  }

  /// Whether every transaction after the position is met.
  var meetsAll: Bool { filter == nil && afterTimestamp == nil }

  /// One row a transaction, in commit order, for a scan that does not meet all.
  func sql(
    _ rules: HistoryRules,
    _ layout: HistoryLayout,
    _ strings: InternedStrings
  ) -> String {
    let time = afterTimestamp == nil ? "" : " AND \(layout.timestamp) > ?2"
    let matching = filter.map { " AND " + $0.sql(layout, strings.number(of:)) } ?? ""
    return Self.sql(rules, layout, condition: time + matching)
  }

  /// One row a transaction, in commit order.
  static func sql(
    _ rules: HistoryRules,
    _ layout: HistoryLayout,
    condition: String = ""
  ) -> String {
    """
    SELECT \(layout.transactionColumns)
    FROM \(layout.transactions) WHERE \(layout.number) \(rules.afterCursor) ?1\(condition)
    ORDER BY \(layout.number)
    """
  }

  /// Whether the page ends before the next transaction.
  var isFull: Bool {
    records.count >= transactionCountMax || unpacker.changes.count >= changeCountMax
      || unpacker.tombstones.count >= Self.tombstoneBytesMax
  }

  /// Whether a row is purged and only waits to be deleted.
  mutating func isPurged(_ row: borrowing Statement) -> Bool {
    number = row.int(0)
    mark = row.int(2)
    guard !purged.isEmpty else { return false }
    return number <= purged[Int32(truncatingIfNeeded: row.int(3))] ?? 0
  }

  /// Reads the transaction that was just met, and the changes that lie in its row.
  mutating func append(_ row: borrowing Statement) -> Bool {
    let count = row.int(8)
    guard count >= 0, count <= Int64(Int32.max) else { return false }
    let record = TransactionRecord(
      number: number,
      timestamp: row.real(1),
      mark: mark,
      author: string(row.int(3)),
      contextName: string(row.int(4)),
      bundle: string(row.int(5)),
      process: string(row.int(6)),
      writer: row.int(7),
      firstChange: unpacker.changes.count,
      count: Int(count)
    )
    records.append(record)
    return row.isNull(9) || unpacker.append(row.bytes(9), countMax: Int(count))
  }

  /// Takes the changes that were read since the transaction began for its own.
  mutating func countChanges() {
    guard let last = records.indices.last else { return }
    records[last].count = unpacker.changes.count - records[last].firstChange
  }

  /// Whether the transaction had as many changes as it says.
  func endTransaction() -> Bool {
    guard let last = records.last else { return false }
    return last.firstChange + last.count == unpacker.changes.count
  }

  private mutating func string(_ value: Int64) -> Int32 {
    let number = Int32(truncatingIfNeeded: value)
    greatestString = max(greatestString, number)
    return number
  }
}
