import HistoryTypes
import SQLiteStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The numbers of transactions and changes that a conversion copied into a new store.
package struct ConversionResult: Sendable, Hashable {
  /// The number of copied transactions.
  package internal(set) var transactionCount = 0
  /// The number of copied changes.
  package internal(set) var changeCount = 0
}

extension Store {
  /// Copies the history of an open store, usually one open for reading, into a new store.
  ///
  /// The copy has the same transaction numbers, timestamps, changes and purged positions, and the
  /// same names of authors, contexts, bundles and processes. It also has the same marks: the random
  /// numbers of transactions that tokens repeat. Objects and members are not copied.
  ///
  /// After each page, the closure receives the number of copied transactions, the number of the
  /// last copied transaction, and the number of the newest transaction.
  ///
  /// - Throws: ``HistoryError`` if the source cannot be read, or if a file exists at the target; in
  ///   these cases no new file remains.
  /// - Complexity: linear in the history, with one page in memory.
  package func convert(
    to target: String,
    layout: HistoryLayout = .packed,
    progress: (_ copied: Int, _ number: Int64, _ newest: Int64) throws -> Void = { _, _, _ in }
  ) throws(HistoryError) -> ConversionResult {
    let file = try NewStoreFile(target)
    do {
      let made = try makeStore(target, layout)
      let result = try copyHistory(into: made, progress)
      file.keep()
      return result
    } catch {
      throw HistoryError(error)
    }
  }

  private func makeStore(_ target: String, _ layout: HistoryLayout) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.timestamps = self.configuration.timestamps
    configuration.layout = layout
    configuration.signalsChanges = false
    let stored = try locked { core in core.schema.model }
    do {
      _ = try Model(stored.live.entities)
    } catch {
      throw HistoryError.unreadable("\(path) cannot be converted: \(error)")
    }
    return try Store(creating: target, stored, configuration)
  }

  private func copyHistory(
    into made: Store,
    _ progress: (Int, Int64, Int64) throws -> Void
  ) throws -> ConversionResult {
    let newest = try currentToken().number
    var result = ConversionResult()
    var request = HistoryRequest(after: nil)
    var hasMore = true
    while hasMore {
      let page = try fetch(request)
      try made.locked { core in try core.write { try core.copy(page) } }
      result.transactionCount += page.transactions.count
      result.changeCount += page.changes.count
      try progress(result.transactionCount, page.scannedThrough.number, newest)
      request = request.next(after: page)
      hasMore = page.hasMore
    }
    let positions = try locked { core in try core.read { try core.purgePositions() } }
    try made.locked { core in try core.write { try core.take(positions) } }
    return result
  }
}

/// The transaction numbers up to which a store's history was purged, for each author and overall.
struct PurgePositions {
  var byAuthor: [(author: String?, number: Int64)] = []
  var thinned: [(author: String?, number: Int64)] = []
  var metadata: [String: Int64] = [:]
}

extension StoreCore {
  /// Returns the positions up to which history was purged, and the highest assigned number.
  fileprivate func purgePositions() throws -> PurgePositions {
    try learnNewStrings()
    var positions = PurgePositions()
    positions.byAuthor = try purgedByAuthor().map { (cache.strings[$0.key], $0.value) }
    positions.thinned = try goneByAuthor([:]).map { (cache.strings[$0.key], $0.value) }
    for name in ["purged", "deleted", "numbered"] {
      positions.metadata[name] = try metadata(name)
    }
    return positions
  }

  fileprivate func take(_ positions: PurgePositions) throws {
    let author = try query("UPDATE history_author SET purged = ?2 WHERE string = ?1")
    for position in positions.byAuthor {
      author.statement.bind(Int64(try internAuthor(position.author)), at: 1)
      author.statement.bind(position.number, at: 2)
      try author.statement.run()
    }
    let thinned = try query("INSERT INTO history_thinned VALUES(?1, ?2)")
    for position in positions.thinned {
      thinned.statement.bind(Int64(try internAuthor(position.author)), at: 1)
      thinned.statement.bind(position.number, at: 2)
      try thinned.statement.run()
    }
    for (name, value) in positions.metadata { try setMetadata(name, value) }
  }

  /// Inserts the transactions of a page that was read from another store.
  ///
  /// Numbers, timestamps and marks, which are random numbers that tokens repeat, stay the same.
  fileprivate func copy(_ page: HistoryPage) throws {
    var greatest: [Int32: Int64] = [:]
    let mappings = page.model.entities.map { ColumnMapping($0) }
    for transaction in page.transactions {
      packed.begin()
      for var change in page.changeRecords[transaction.changes.indices] {
        let offset = Int(change.entity) - 1
        if change.type == .update, mappings.indices.contains(offset), let mapping = mappings[offset]
        {
          change.columns = mapping.numbers(of: change.columns)
        }
        greatest[change.entity] = max(greatest[change.entity] ?? 0, change.key)
        let (start, count) = (Int(change.tombstoneStart), Int(change.tombstoneLength))
        page.tombstones.withBytes(at: start, count: count) { packed.append(change, $0) }
      }
      try insert(try record(of: transaction))
    }
    for (entity, key) in greatest { try skipKeys(of: entity, through: key) }
  }

  /// Converts a transaction of another store to a record with the numbers of this store's strings.
  private func record(of transaction: HistoryTransaction) throws -> TransactionRecord {
    var record = transaction.record
    record.author = try internAuthor(transaction.author)
    record.contextName = try intern(transaction.contextName)
    record.bundle = try intern(transaction.bundleID)
    let process = transaction.processID
    record.process = try intern(
      cache.strings.areLabels ? ProcessLabel(name: process, writer: record.writer).text : process
    )
    return record
  }
}

extension ChangePacker {
  /// Packs a copied change.
  ///
  /// For a delete, `bytes` is the tombstone. For an update, `bytes` contains the bits of the columns
  /// beyond the first 64.
  fileprivate mutating func append(_ change: ChangeRecord, _ bytes: UnsafeRawBufferPointer) {
    switch change.type {
    case .insert: insert(change.entity, change.key)
    case .update: update(change.entity, change.key, change.columns, beyond: bytes)
    case .delete: delete(change.entity, change.key, tombstone: bytes)
    }
  }
}

/// A new store file, which is deleted with the last reference unless ``keep()`` was called.
final class NewStoreFile {
  private let path: String
  private var isKept = false
  /// The suffixes of the files that SQLite creates next to a database.
  private static let suffixes = ["-wal", "-shm", "-journal"]

  /// Creates the empty file at a path where no file exists yet.
  ///
  /// - Throws: ``HistoryError/Code/unreadable`` if a file, a link or a log exists at the path, or
  ///   the file cannot be created.
  init(_ path: String) throws(HistoryError) {
    for suffix in Self.suffixes {
      var information = stat()
      guard lstat(path + suffix, &information) != 0 else { throw Self.isThere(path + suffix) }
    }
    let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      let code = errno
      guard code != EEXIST else { throw Self.isThere(path) }
      // In `/proc`, for example, the folder exists, but no file can be created in it.
      let reason =
        code == ENOENT && Self.hasFolder(path)
        ? "no file can be created in its folder" : String(cString: strerror(code))
      throw .unreadable("\(path) cannot be created: \(reason). Choose another file.")
    }
    close(file)
    self.path = path
  }

  deinit {
    guard !isKept else { return }
    for suffix in [""] + Self.suffixes { unlink(path + suffix) }
  }

  /// Prevents the deletion of the file.
  func keep() { isKept = true }

  private static func hasFolder(_ path: String) -> Bool {
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "."
    return access(String(folder), F_OK) == 0
  }

  private static func isThere(_ path: String) -> HistoryError {
    .unreadable("\(path) already exists, and it is not overwritten. Choose another file.")
  }
}
