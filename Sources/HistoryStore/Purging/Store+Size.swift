import SQLiteStorage

extension Store {
  /// Returns the size of the history within the store, measured or estimated.
  ///
  /// After a measurement, the size is estimated from the transactions that were added and purged
  /// since.
  ///
  /// - Throws: ``HistoryError/Code/untracked`` if the store keeps no history, or
  ///   ``HistoryError/Code/sqlite``.
  /// - Complexity: a few numbers from the file, and one visit to each transaction since the last
  ///   measurement. After an eighth of the history or of the file has changed, one visit to each
  ///   page of history without the write lock, and a small write that records the measurement.
  public func historySize() throws(HistoryError) -> HistorySize {
    let (found, measured) = try lockedHistory { core in
      try core.read { try core.historySize() }
    }
    if let measured, !isForReading {
      try lockedHistory { core in try core.write { try core.remember(measured) } }
    }
    return found
  }
}

extension StoreCore {
  /// Returns the size of history; measures it if the recorded measurement is missing or outdated.
  ///
  /// `measured` is the new measurement for the caller to record; `nil` if there is no new one.
  fileprivate func historySize() throws -> (size: HistorySize, measured: MeasuredHistory?) {
    let pageBytes = try number("PRAGMA page_size")
    let pages = try number("PRAGMA page_count") - number("PRAGMA freelist_count")
    let (head, purged) = (try head().number, try metadata("purged"))
    if let last = try lastMeasured(),
      let left = last.bytesLeft(head: head, purged: purged, pages: pages)
    {
      let new = try bytes(after: last.head, through: head)
      return (HistorySize(left + new, pages * pageBytes), nil)
    }
    let measured = MeasuredHistory(
      bytes: try measureHistory(through: head),
      count: try number("SELECT count(*) FROM \(layout.transactions)"),
      head: head,
      purged: purged,
      pages: pages
    )
    return (HistorySize(measured.bytes, pages * pageBytes), measured)
  }

  private func number(_ sql: String) throws -> Int64 {
    let query = try query(sql)
    defer { query.statement.reset() }
    return try query.statement.step() ? query.statement.int(0) : 0
  }

  /// Returns the size of the pages of history in bytes (https://sqlite.org/dbstat.html).
  ///
  /// If this build of SQLite lacks the `dbstat` table, the sizes of the rows are added up instead.
  private func measureHistory(through head: Int64) throws -> Int64 {
    guard try number("SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'") == 1 else {
      return try bytes(after: 0, through: head)
    }
    let names = try query(
      "SELECT name FROM sqlite_schema WHERE tbl_name IN (\(layout.historyTables)) AND rootpage > 0"
    )
    defer { names.statement.reset() }
    let size = try query("SELECT sum(pgsize) FROM dbstat WHERE name = ?1 AND aggregate = TRUE")
    defer { size.statement.reset() }
    var bytes: Int64 = 0
    while try names.statement.step() {
      size.statement.bind(names.statement.text(0), at: 1)
      if try size.statement.step() { bytes += size.statement.int(0) }
      size.statement.reset()
    }
    return bytes
  }

  // MARK: The recorded measurement

  private static let sizeNames = [
    "sizedBytes", "sizedCount", "sizedHead", "sizedPurged", "sizedPages",
  ]

  private func lastMeasured() throws -> MeasuredHistory? {
    var values: [Int64] = []
    for name in Self.sizeNames {
      guard let value = try knownMetadata(name) else { return nil }
      values.append(value)
    }
    return MeasuredHistory(
      bytes: values[0],
      count: values[1],
      head: values[2],
      purged: values[3],
      pages: values[4]
    )
  }

  fileprivate func remember(_ measured: MeasuredHistory) throws {
    let values = [
      measured.bytes, measured.count, measured.head, measured.purged, measured.pages,
    ]
    for (name, value) in zip(Self.sizeNames, values) { try putMetadata(name, value) }
  }
}

extension HistorySize {
  fileprivate init(_ historyBytes: Int64, _ storeBytes: Int64) {
    self.init(historyBytes: Int(historyBytes), storeBytes: Int(storeBytes))
  }
}

extension HistoryLayout {
  /// The tables of transactions, changes and strings, as an SQL list.
  fileprivate var historyTables: String {
    switch self {
    case .packed: "'history_transaction', 'history_chunk', 'history_string'"
    case .coreData: "'ATRANSACTION', 'ACHANGE', 'ATRANSACTIONSTRING'"
    }
  }
}

/// The size of a store's history.
public struct HistorySize: Sendable, Hashable {
  /// The size in bytes of the pages of the history, including its indexes.
  public let historyBytes: Int
  /// The size in bytes of all used pages; a page with versions in the write-ahead log counts once.
  public let storeBytes: Int

  /// The history's share of the store, between 0 and 1.
  public var share: Double {
    storeBytes > 0 ? min(1, Double(historyBytes) / Double(storeBytes)) : 0
  }
}

/// A past measurement of the history's size, with the properties of the file at that time.
struct MeasuredHistory: Equatable {
  var bytes: Int64
  /// The number of transactions when the size was measured.
  var count: Int64
  /// The newest transaction number when the size was measured.
  var head: Int64
  /// The transaction number up to which history was purged when the size was measured.
  var purged: Int64
  /// The number of used pages of the file when the size was measured.
  var pages: Int64

  /// Estimates the size in bytes of the measured history that is not purged yet.
  ///
  /// Returns `nil` if the measurement is outdated, because more than an eighth of the transactions
  /// or pages were added or removed. Up to 64 new transactions, and a difference of up to 64 pages,
  /// never make it outdated. The cost of measuring, divided among the transactions, therefore does
  /// not depend on the length of history.
  func bytesLeft(head: Int64, purged: Int64, pages: Int64) -> Int64? {
    let (new, gone) = (head - self.head, purged - self.purged)
    guard new >= 0, new <= max(64, count / 8), gone >= 0, gone <= count / 8,
      abs(pages - self.pages) <= max(64, self.pages / 8)
    else { return nil }
    return bytes - gone * (bytes / max(1, count))
  }
}

extension HistoryLayout {
  /// The size of a transaction's row without its changes, in bytes.
  ///
  /// In the layout `coreData`, the size includes the index entries.
  private var transactionBytes: Int { self == .packed ? 44 : 82 }
  /// The size in bytes of a change's row and its index entry.
  ///
  /// The list of updated attributes and the values of a tombstone are not counted.
  private static let changeBytes = 34

  /// SQL for the size in bytes of the transactions after number `?1`, up to and including `?2`.
  func bytes(tombstoneCount: Int) -> String {
    let transactions = "\(transactions) WHERE \(number) > ?1 AND \(number) <= ?2"
    switch self {
    case .packed:
      return """
        SELECT (SELECT ifnull(sum(\(transactionBytes) + ifnull(length(changes), 0)), 0)
          FROM \(transactions)) + (SELECT ifnull(sum(length(changes)), 0) FROM history_chunk
          WHERE id >= (?1 + 1) << \(ChunkKey.bits) AND id < (?2 + 1) << \(ChunkKey.bits))
        """
    case .coreData:
      let values = ["ZCOLUMNS"] + Self.tombstoneColumns(tombstoneCount)
      let lengths = values.map { " + ifnull(length(CAST(\($0) AS BLOB)), 0)" }.joined()
      return """
        SELECT (SELECT count(*) * \(transactionBytes) FROM \(transactions))
          + (SELECT ifnull(sum(\(Self.changeBytes)\(lengths)), 0) FROM ACHANGE
          WHERE ZTRANSACTIONID > ?1 AND ZTRANSACTIONID <= ?2)
        """
    }
  }
}

extension StoreCore {
  /// Returns the size in bytes of the transactions after `first`, up to and including `last`.
  ///
  /// Free space in the pages is not included.
  ///
  /// - Complexity: one visit to each row of these transactions, without reading the blobs.
  func bytes(after first: Int64, through last: Int64) throws -> Int64 {
    guard first < last else { return 0 }
    let sum = try query(layout.bytes(tombstoneCount: schema.coreData.tombstoneCount))
    sum.statement.bind(first, at: 1)
    sum.statement.bind(last, at: 2)
    defer { sum.statement.reset() }
    return try sum.statement.step() ? sum.statement.int(0) : 0
  }

  /// Returns the size in bytes of the history after each cursor; each transaction is visited once.
  func bytesBehind(_ cursors: [Int64], head: Int64) throws -> [Int64: Int64] {
    var bytes: [Int64: Int64] = [:]
    var (last, sum) = (head, Int64(0))
    for cursor in Set(cursors).sorted(by: >) where cursor < head {
      sum += try self.bytes(after: cursor, through: last)
      last = cursor
      bytes[cursor] = sum
    }
    return bytes
  }
}
