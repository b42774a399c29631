package import HistoryStore
import HistoryTypes
import SQLiteStorage

/// The measured effect of a purge on a private copy of a file.
package struct PurgeTrial: Sendable, Hashable {
  /// The number of transactions that were deleted.
  package internal(set) var transactions = 0
  package internal(set) var changeRows = 0
  /// The time to delete the transactions and their changes, in seconds.
  package internal(set) var seconds = 0.0
  /// The longest time for which the purge held the write lock, in seconds.
  package internal(set) var lockSecondsMax = 0.0
  /// The number of write transactions of the purge.
  package internal(set) var chunks = 0
  /// The number of pages that became free.
  package internal(set) var freedPages: Int64 = 0
  /// The time to return the free pages to the file system, in seconds.
  package internal(set) var shrinkSeconds = 0.0
  /// The size of the database before the purge, in bytes.
  package internal(set) var bytesBefore: Int64 = 0
  package internal(set) var bytesAfter: Int64 = 0
}

extension StoreInspector {
  /// Deletes transactions from a private copy of a file, frees the pages, and measures both steps.
  ///
  /// In a store of this library, the trial deletes in chunks, as the store's own purge does. In a
  /// Core Data file, it deletes everything in one write transaction. The original file is only
  /// read.
  ///
  /// `now` returns seconds since a fixed start, and never decreases.
  ///
  /// - Throws: ``InspectionError`` if the file cannot be read, copied or written.
  /// - Complexity: copies the file, and visits each deleted row and each page.
  package func trial(
    of path: String,
    deleting numbers: some Sequence<Int64>,
    now: () -> Double
  ) throws(InspectionError) -> PurgeTrial {
    let file = try QuietFile(path, copyingTo: temporaryFolder, stopCheck: stopCheck)
    for _ in 0..<QuietFile.attemptsMax {
      let before = FileState(file.realPath)
      let copy = try PrivateCopy(of: file.realPath, in: temporaryFolder, stopCheck)
      guard FileState(file.realPath) == before else { continue }
      do {
        let connection = try file.connection(to: copy.path, .readWrite)
        return try PurgeTrial(connection, path: path, deleting: numbers, now)
      } catch {
        throw InspectionError(error, path: path)
      }
    }
    throw .changing(path: path)
  }
}

extension PurgeTrial {
  /// Deletes transactions from an open copy, and returns the free pages to the file system.
  fileprivate init(
    _ connection: borrowing Connection,
    path: String,
    deleting numbers: some Sequence<Int64>,
    _ now: () -> Double
  ) throws {
    let tables = try FileTables(connection)
    let layout = try tables.source(connection, path: path).layout
    let isOurs = tables.names.contains("history_metadata")
    let table = try PurgeTable(connection, numbers)
    bytesBefore = try connection.size()
    let freeBefore = try connection.integer("PRAGMA freelist_count") ?? 0
    let pagesBefore = try connection.integer("PRAGMA page_count") ?? 0
    for chunk in try table.chunks(connection, isOurs ? layout : nil) {
      try delete(connection, layout, chunk, now)
    }
    let freeAfter = try connection.integer("PRAGMA freelist_count") ?? 0
    let pagesAfter = try connection.integer("PRAGMA page_count") ?? 0
    // With full auto-vacuum, the freed pages are already removed from the file.
    freedPages = freeAfter - freeBefore + pagesBefore - pagesAfter
    let start = now()
    switch try connection.integer("PRAGMA auto_vacuum").flatMap(VacuumMode.init) ?? .manual {
    case .manual: try connection.execute("VACUUM")
    case .incremental: try connection.execute("PRAGMA incremental_vacuum")
    case .full: break
    }
    shrinkSeconds = now() - start
    bytesAfter = try connection.size()
  }

  /// Deletes the transactions of one chunk and their changes in one write transaction.
  fileprivate mutating func delete(
    _ connection: borrowing Connection,
    _ layout: HistoryLayout,
    _ chunk: ClosedRange<Int64>,
    _ now: () -> Double
  ) throws {
    let condition = """
      \(layout.number) IN (SELECT number FROM temp.purged
      WHERE number BETWEEN \(chunk.lowerBound) AND \(chunk.upperBound))
      """
    let start = now()
    try connection.execute("BEGIN IMMEDIATE")
    let statements = layout.deletions(
      where: condition,
      from: "\(chunk.lowerBound)",
      through: "\(chunk.upperBound)"
    )
    var deleted: [Int] = []
    for sql in statements {
      try connection.execute(sql)
      deleted.append(Int(connection.changes))
    }
    try connection.execute("COMMIT")
    let elapsed = now() - start
    changeRows += deleted.first ?? 0
    transactions += deleted.last ?? 0
    seconds += elapsed
    lockSecondsMax = max(lockSecondsMax, elapsed)
    chunks += 1
  }
}

/// The temporary table of the numbers of the transactions that a trial deletes.
private struct PurgeTable {
  private let numbers: [Int64]

  /// Creates the table `temp.purged`, and inserts the numbers of the transactions to delete.
  init(_ connection: borrowing Connection, _ numbers: some Sequence<Int64>) throws {
    self.numbers = Array(numbers)
    try connection.execute("CREATE TEMP TABLE purged(number INTEGER PRIMARY KEY)")
    try connection.execute("BEGIN")
    let insert = try Statement(connection, "INSERT INTO temp.purged VALUES(?1)")
    for number in self.numbers {
      insert.bind(number, at: 1)
      try insert.run()
    }
    try connection.execute("COMMIT")
  }

  /// Divides the transactions to delete into chunks, each deleted in one write transaction.
  ///
  /// Returns the range of transaction numbers of each chunk. The division is that of a store's own
  /// purge. If the layout is `nil`, the file is not a store of this library, and one chunk contains
  /// all transactions to delete.
  func chunks(
    _ connection: borrowing Connection,
    _ layout: HistoryLayout?
  ) throws -> [ClosedRange<Int64>] {
    guard let last = numbers.last else { return [] }
    guard let layout else { return [numbers[0]...last] }
    let beyond = try Statement(connection, layout.transactionBeyond)
    let count = Int(StoreConfiguration().purgeChunkCount)
    var chunks: [ClosedRange<Int64>] = []
    var place = 0
    while place < numbers.count {
      let first = numbers[place]
      var end = numbers[min(place + count, numbers.count) - 1]
      beyond.bind(first, at: 1)
      beyond.bind(end, at: 2)
      beyond.bind(Int64(layout.purgeChunkRows), at: 3)
      if try beyond.step() { end = max(first, beyond.int(0) - 1) }
      beyond.reset()
      chunks.append(first...end)
      place = numbers[place...].firstIndex { $0 > end } ?? numbers.count
    }
    return chunks
  }
}

extension Connection {
  /// Returns the size of the database in bytes, including pages in the write-ahead log.
  fileprivate borrowing func size() throws -> Int64 {
    try (integer("PRAGMA page_count") ?? 0) * (integer("PRAGMA page_size") ?? 0)
  }
}
