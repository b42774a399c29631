import SQLiteStorage

extension Store {
  /// Returns the size of the history within the store, measured or estimated.
  ///
  /// After a measurement, it is estimated from the transactions that were added and purged.
  ///
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
  /// Returns the size of history, with a new measurement if the last one is outdated.
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
  /// A build of SQLite without that table measures the rows instead.
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
    self.init(historyBytes: historyBytes, storeBytes: storeBytes)
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
