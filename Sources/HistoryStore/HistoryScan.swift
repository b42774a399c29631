import PersistentHistory
import SQLiteStorage

/// A fetch under way: where it starts, what it lets through, and what it has read so far.
struct HistoryScan {
  /// The place of the column that says whether a transaction matches with every change.
  private static let certainColumn: Int32 = 10
  /// How many bytes of tombstones one page holds before it ends.
  private static let tombstoneBytesMax = 64 << 20

  let request: HistoryRequest
  private let storeID: StoreID
  var after: Int64 = 0
  /// Set when times do not rise with numbers and every transaction's must be compared.
  var afterTimestamp: Double?
  /// How far each author was purged; empty when nothing after the position was.
  var purged: [Int32: Int64] = [:]
  /// How far each author's history is gone, for the pages that follow.
  var gone: [Int32: Int64] = [:]
  private let filter: CompiledFilter?
  private let readsChanges: Bool
  private let conditions: FilterSQL?
  private let transactionCountMax: Int
  private let changeCountMax: Int
  private let tombstoneBytesMax: Int
  private let skippedCountMax: Int

  var records: [TransactionRecord] = []
  let unpacker = ChangeUnpacker()
  /// The place of each change in its transaction, where some are left out.
  private(set) var places: [Int] = []
  /// The transaction that was met last, purged ones included.
  private(set) var met: (number: Int64, mark: Int64) = (0, 0)
  /// The last transaction of which nothing is left to read.
  private(set) var scanned: (number: Int64, mark: Int64)?
  /// Where the transaction goes on that the page could not hold to its end.
  private(set) var rest: TransactionRest?
  /// The greatest number of a string that was met.
  private(set) var greatestString: Int32 = 0
  private var skippedCount = 0

  /// Where the transaction goes on that the page before did not hold to its end, until it is met.
  private(set) var unread: TransactionRest?
  /// The transaction that is being read.
  private(set) var record = TransactionRecord()
  /// The chunk, or other unit of the layout, of its changes that is read next.
  private(set) var batch: Int64 = 0
  /// How many of its changes were read, on this page and before.
  private var place = 0
  /// Where the changes of the batch that is being read begin.
  private var start = (change: 0, tombstone: 0)
  /// What must be asked of its changes; nothing when all of them match.
  private var question: CompiledFilter?
  /// Whether its changes are read to find one that matches, not to return them.
  private(set) var isLooking = false
  private var hasFound = false

  init(
    _ request: HistoryRequest,
    of store: StoreID,
    _ filter: CompiledFilter?,
    _ layout: HistoryLayout
  ) {
    self.request = request
    storeID = store
    unread = request.rest
    self.filter = filter
    readsChanges = filter?.readsChanges ?? false
    conditions = filter.map { FilterSQL($0, layout) }
    transactionCountMax = max(1, request.transactionCountMax)
    changeCountMax = max(1, request.changeCountMax)
    tombstoneBytesMax = request.streaming?.tombstoneBytesMax ?? Self.tombstoneBytesMax
    skippedCountMax = request.streaming?.skippedCountMax ?? .max
  }

  /// Starts no earlier than the filter's numbers do.
  mutating func skipToNumbers() {
    if let least = filter?.numberMin, least > 0 { after = max(after, least - 1) }
  }

  /// Whether every transaction after the position is met.
  var meetsAll: Bool { conditions == nil && afterTimestamp == nil }

  /// What the statement of a scan that does not meet all depends on.
  struct Shape: Equatable {
    let isTimed: Bool
    let possible: String?
    let certain: String?
  }

  var shape: Shape {
    Shape(
      isTimed: afterTimestamp != nil,
      possible: conditions?.possible,
      certain: readsChanges ? conditions?.certain : nil
    )
  }

  /// One row a transaction, in commit order, for a scan that does not meet all.
  func sql(_ layout: HistoryLayout) -> String {
    let time = afterTimestamp == nil ? "" : " AND \(layout.timestamp) > ?2"
    let matching = conditions.map { " AND " + $0.possible } ?? ""
    let certain = readsChanges ? ", \(conditions?.certain ?? "1")" : ""
    return Self.sql(layout, condition: time + matching, certain: certain)
  }

  /// One row a transaction, in commit order.
  static func sql(
    _ layout: HistoryLayout,
    condition: String = "",
    certain: String = ""
  ) -> String {
    """
    SELECT \(layout.transactionColumns)\(certain) FROM \(layout.transactions)
    WHERE \(layout.number) > ?1\(condition)
    ORDER BY \(layout.number)
    """
  }

  /// Binds the position and what the filter compares with.
  func bind(to statement: borrowing Statement) {
    statement.bind(after, at: 1)
    if let afterTimestamp { statement.bind(afterTimestamp, at: 2) }
    conditions?.bind(to: statement)
  }

  /// Whether the page ends before the next transaction.
  var isFull: Bool {
    records.count >= transactionCountMax || hasManyChanges || skippedCount >= skippedCountMax
  }

  private var hasManyChanges: Bool {
    unpacker.changes.count >= changeCountMax || unpacker.tombstones.count >= tombstoneBytesMax
  }

  /// Whether a row is purged and only waits to be deleted.
  mutating func isPurged(_ row: borrowing Statement) -> Bool {
    meet(row)
    guard !purged.isEmpty else { return false }
    return met.number <= purged[Int32(truncatingIfNeeded: row.int(3))] ?? 0
  }

  /// Notes the transaction that was met last.
  mutating func meet(_ row: borrowing Statement) {
    met = (row.int(0), row.int(2))
  }

  /// The transaction that could not be read: the one that is being read, or the next.
  var unreadable: Int64 {
    let isReading = record.number == met.number && scanned?.number != met.number
    return isReading && met.number > 0 ? met.number : max(met.number, after) + 1
  }

  private mutating func string(_ value: Int64) -> Int32 {
    let number = Int32(truncatingIfNeeded: value)
    greatestString = max(greatestString, number)
    return number
  }

  /// The page with all that was read.
  func page(_ core: StoreCore, through: HistoryToken, hasMore: Bool) -> HistoryPage {
    HistoryPage(
      storeID: core.id,
      model: core.model,
      scannedThrough: through,
      hasMore: hasMore,
      records: records,
      changes: unpacker.changes,
      tombstones: unpacker.tombstones,
      places: places,
      strings: core.strings,
      rest: rest,
      gone: gone
    )
  }
}

// MARK: One transaction

extension HistoryScan {
  /// Begins to read a transaction; its changes come next, once for each ``isLooking`` and
  /// ``takesChanges`` that is true.
  ///
  /// - Throws: ``HistoryError/damagedTransaction(_:)`` when its row makes no sense,
  ///   ``HistoryError/expired(token:firstHeld:)`` when another one was to be read to its end.
  mutating func begin(_ row: borrowing Statement) throws(HistoryError) {
    let count = row.int(8)
    record = TransactionRecord(
      number: met.number,
      timestamp: row.real(1),
      mark: met.mark,
      author: string(row.int(3)),
      contextName: string(row.int(4)),
      bundle: string(row.int(5)),
      process: string(row.int(6)),
      writer: row.int(7),
      firstChange: unpacker.changes.count,
      count: 0,
      total: Int(truncatingIfNeeded: count)
    )
    guard count >= 0, count <= Int64(Int32.max) else {
      throw .damagedTransaction(record.number)
    }
    question = readsChanges && row.int(Self.certainColumn) == 0 ? filter?.reduced(for: record) : nil
    let resumed = try takeUpRest()
    isLooking = question != nil && request.contents != .changesOnly && !resumed
    hasFound = question == nil || !isLooking
    start = (unpacker.changes.count, unpacker.tombstones.count)
  }

  /// Goes on where the page before ended, if that was within this transaction.
  private mutating func takeUpRest() throws(HistoryError) -> Bool {
    guard let from = unread else {
      (batch, place) = (0, 0)
      return false
    }
    guard from.token.number == record.number, from.token.mark == record.mark else {
      throw .expired(token: from.token, firstHeld: record.number)
    }
    unread = nil
    (batch, place) = (from.chunk, from.place)
    record.firstPlace = place
    return true
  }

  /// Whether the page is to hold the changes of the transaction.
  var takesChanges: Bool { hasFound && request.contents != .transactionsOnly }

  /// Takes what was unpacked since the last time, and answers whether more is wanted.
  mutating func endBatch() -> Bool {
    batch += 1
    let count = unpacker.changes.count - start.change
    if isLooking { return !look(count) }
    if request.contents == .changesOnly && readsChanges { keepMatching(count) }
    place += count
    start = (unpacker.changes.count, unpacker.tombstones.count)
    guard request.streaming != nil, hasManyChanges, place < record.total else { return true }
    let token = HistoryToken(store: storeID, number: record.number, mark: record.mark)
    rest = TransactionRest(token: token, chunk: batch, place: place)
    return false
  }

  /// Asks the changes of a batch and forgets them again.
  private mutating func look(_ count: Int) -> Bool {
    place += count
    hasFound = unpacker.changes[start.change...].contains { question?.matches($0) ?? true }
    unpacker.changes.truncate(to: start.change)
    unpacker.tombstones.truncate(to: start.tombstone)
    return hasFound
  }

  /// Leaves out the changes of a batch that do not match.
  private mutating func keepMatching(_ count: Int) {
    guard let question else {
      places += place..<place + count
      return
    }
    unpacker.changes.keep(from: start.change) { offset, change in
      let isKept = question.matches(change)
      if isKept { places.append(place + offset) }
      return isKept
    }
    skippedCount += start.change + count - unpacker.changes.count
  }

  /// Whether the transaction had as many changes as it says, as far as they were read.
  var isWhole: Bool { place == record.total || rest != nil || isLooking && hasFound }

  /// Ends the search for a change that matches; the changes may be read again after it.
  mutating func endLooking() {
    if !hasFound { skippedCount += place }
    isLooking = false
    (batch, place) = (0, 0)
  }

  /// Enters the transaction into the page if anything of it is to be there.
  mutating func endTransaction() {
    record.count = unpacker.changes.count - record.firstChange
    if hasFound && (request.contents != .changesOnly || record.count > 0) { records.append(record) }
    if rest == nil { scanned = (record.number, record.mark) }
  }
}
