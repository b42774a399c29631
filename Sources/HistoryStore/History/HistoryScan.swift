import HistoryTypes
import SQLiteStorage

/// The state of a fetch: its start, its filter, and the transactions and changes read so far.
struct HistoryScan {
  /// The index of the SQL column that is 1 if a transaction matches regardless of its changes.
  private static let certainColumn: Int32 = 10
  /// The number of bytes of tombstones after which a page ends.
  private static let tombstoneBytesMax = 64 << 20

  let request: HistoryRequest
  private let storeID: StoreID
  var after: Int64 = 0
  /// The exclusive lower bound of timestamps; `nil` if the scan need not compare timestamps.
  var afterTimestamp: Double?
  /// For each author number, the transaction number up to which a purge has made history invisible.
  ///
  /// Empty if no history after the position was purged.
  var purged: [Int32: Int64] = [:]
  /// For each author number, the transaction number up to which purges may have removed history.
  ///
  /// The request for the next page contains these numbers.
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
  /// The index of each change in its transaction, if the filter may leave out changes.
  ///
  /// Empty otherwise.
  private(set) var places: [Int] = []
  /// The number and mark of the last transaction that the scan reached, purged or not.
  ///
  /// The mark is a random number, which is stored with the transaction and repeated by its token.
  private(set) var met: (number: Int64, mark: Int64) = (0, 0)
  /// The number and the mark (see ``met``) of the last transaction that was read completely.
  private(set) var scanned: (number: Int64, mark: Int64)?
  /// The position within a transaction at which the next page continues; `nil` if this page ends
  /// between two transactions.
  private(set) var rest: TransactionRest?
  /// The greatest number of an interned string that the scan read.
  private(set) var greatestString: Int32 = 0
  private var skippedCount = 0

  /// The position within a transaction at which the previous page ended.
  ///
  /// `nil` once the scan has continued at this position. Also `nil` for a first page, and if the
  /// previous page ended between two transactions.
  private(set) var unread: TransactionRest?
  /// The transaction that is being read.
  private(set) var record = TransactionRecord()
  /// The index of the current transaction's next batch of changes.
  ///
  /// A batch is one blob in the packed layout, and up to a fixed number of rows in `coreData`.
  private(set) var batch: Int64 = 0
  /// The number of the current transaction's changes read so far, on this page and earlier pages.
  private var place = 0
  /// The offsets in the unpacker's buffers at which the current batch starts.
  private var start = (change: 0, tombstone: 0)
  /// The filter to apply to the current transaction's changes; `nil` if all of them match.
  private var question: CompiledFilter?
  /// Whether the current transaction's changes are read to find a match, not to return them.
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

  /// Raises the start of the scan to the lowest number that the filter can match.
  mutating func skipToNumbers() {
    if let least = filter?.numberMin, least > 0 { after = max(after, least - 1) }
  }

  /// Whether the scan visits every transaction after the position.
  var meetsAll: Bool { conditions == nil && afterTimestamp == nil }

  /// The properties that determine the SQL of a scan with conditions on transactions.
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

  /// Returns SQL for one row per transaction in commit order, for a scan with conditions.
  func sql(_ layout: HistoryLayout) -> String {
    let time = afterTimestamp == nil ? "" : " AND \(layout.timestamp) > ?2"
    let matching = conditions.map { " AND " + $0.possible } ?? ""
    let certain = readsChanges ? ", \(conditions?.certain ?? "1")" : ""
    return Self.sql(layout, condition: time + matching, certain: certain)
  }

  /// Returns SQL for one row per transaction, in commit order.
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

  /// Binds the position and the values of the filter.
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

  /// Records the transaction that the scan reached, and returns whether it is purged.
  ///
  /// The row of a purged transaction can still be in the file, and a fetch then skips it.
  mutating func isPurged(_ row: borrowing Statement) -> Bool {
    meet(row)
    guard !purged.isEmpty else { return false }
    return met.number <= purged[Int32(truncatingIfNeeded: row.int(3))] ?? 0
  }

  /// Records the transaction that the scan reached.
  mutating func meet(_ row: borrowing Statement) {
    met = (row.int(0), row.int(2))
  }

  /// The number of the transaction to report if reading fails.
  ///
  /// This is the transaction that is being read. Between two transactions, it is the number after the
  /// last transaction that the scan reached, or after the start of the scan.
  var unreadable: Int64 {
    let isReading = record.number == met.number && scanned?.number != met.number
    return isReading && met.number > 0 ? met.number : max(met.number, after) + 1
  }

  private mutating func string(_ value: Int64) -> Int32 {
    let number = Int32(truncatingIfNeeded: value)
    greatestString = max(greatestString, number)
    return number
  }

  /// Returns the page with all transactions and changes read so far.
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
      strings: core.cache.strings,
      rest: rest,
      gone: gone
    )
  }
}

// MARK: One transaction

extension HistoryScan {
  /// Starts to read a transaction.
  ///
  /// The caller then reads the changes of the transaction: once if ``isLooking`` is `true`, and
  /// once if ``takesChanges`` is `true`.
  ///
  /// - Throws: ``HistoryError/Code/damagedTransaction`` if the row of the transaction is invalid,
  ///   ``HistoryError/Code/expired`` if the scan had to continue a transaction that is missing.
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
    let resumed = try continueAfterPage()
    isLooking = question != nil && request.contents != .changesOnly && !resumed
    hasFound = question == nil || !isLooking
    start = (unpacker.changes.count, unpacker.tombstones.count)
  }

  /// Finds the start of the current transaction's unread changes.
  ///
  /// - Returns: `true` if the previous page ended within this transaction.
  private mutating func continueAfterPage() throws(HistoryError) -> Bool {
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

  /// Whether the page will contain the changes of the transaction.
  var takesChanges: Bool { hasFound && request.contents != .transactionsOnly }

  /// Processes the changes that the caller has just unpacked, and returns whether to read more.
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

  /// Discards the changes of the current batch, and returns whether one of them matches the filter.
  private mutating func look(_ count: Int) -> Bool {
    place += count
    hasFound = unpacker.changes[start.change...].contains { question?.matches($0) ?? true }
    unpacker.changes.truncate(to: start.change)
    unpacker.tombstones.truncate(to: start.tombstone)
    return hasFound
  }

  /// Removes the changes of the current batch that do not match the filter.
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

  /// Whether the scan read as many changes as the transaction's row records, or stopped on purpose.
  var isWhole: Bool { place == record.total || rest != nil || isLooking && hasFound }

  /// Ends the search for a matching change.
  ///
  /// The next read of the transaction's changes starts at the first change again.
  mutating func endLooking() {
    if !hasFound { skippedCount += place }
    isLooking = false
    (batch, place) = (0, 0)
  }

  /// Adds the transaction to the page if it matches.
  mutating func endTransaction() {
    record.count = unpacker.changes.count - record.firstChange
    if hasFound && (request.contents != .changesOnly || record.count > 0) { records.append(record) }
    if rest == nil { scanned = (record.number, record.mark) }
  }
}
