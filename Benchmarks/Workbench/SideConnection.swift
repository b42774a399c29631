import BenchmarkFloor
import HistoryStore
import SQLiteStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The benchmark's own connection to the file on which a compared program works.
///
/// Outside the timed parts, it reads data and undoes the changes of a measurement.
final class SideConnection {
  private let connection: Connection
  /// The layout of the file's history.
  private let layout: HistoryLayout

  init(path: String, layout: HistoryLayout = .packed) throws(SQLiteError) {
    self.layout = layout
    var options = ConnectionOptions()
    options.access = .readWrite
    connection = try Connection(path: path, options)
  }

  /// Checkpoints the write-ahead log, so that every measurement starts with an empty one.
  func checkpoint() throws(SQLiteError) { try connection.checkpoint() }

  func execute(_ sql: String) throws(SQLiteError) { try connection.execute(sql) }

  /// Returns the integer result of a query, or 0 for null.
  func integer(_ sql: String) throws(SQLiteError) -> Int64 { try connection.integer(sql) ?? 0 }

  /// Returns the number of an entity's rows, and the sum of their quantities.
  func tally(of entity: String) throws(SQLiteError) -> WorkTally {
    WorkTally(
      count: try integer("SELECT count(*) FROM \"\(entity)\""),
      sum: try integer("SELECT sum(quantity) FROM \"\(entity)\"")
    )
  }

  /// Returns the number of the newest transaction.
  func head() throws(SQLiteError) -> Int64 {
    try integer("SELECT max(\(layout.number)) FROM \(layout.transactions)")
  }

  /// Returns the number of the oldest transaction.
  func firstNumber() throws(SQLiteError) -> Int64 {
    try integer("SELECT min(\(layout.number)) FROM \(layout.transactions)")
  }

  /// Returns the random number in a transaction's token, or 0 if the transaction does not exist.
  func mark(of number: Int64) throws(SQLiteError) -> Int64 {
    try integer(
      "SELECT \(layout.mark) FROM \(layout.transactions) WHERE \(layout.number) = \(number)"
    )
  }

  /// Appends copies of the newest transactions to the history.
  func repeatNewest(_ count: Int) throws(SQLiteError) {
    let after = try head() - Int64(count)
    switch layout {
    case .packed: try execute(Self.repeatPacked(count, after))
    case .coreData: try execute(Self.repeatCoreData(count, after))
    }
  }

  private static func repeatPacked(_ count: Int, _ after: Int64) -> String {
    """
    INSERT INTO history_transaction
    SELECT number + \(count), timestamp + \(count) * 1e-6, mark, author, context, bundle, process,
      writer, count, entities, changes
    FROM history_transaction WHERE number > \(after) ORDER BY number
    """
  }

  /// Returns SQL that appends copies of the newest transactions in the layout of Core Data.
  ///
  /// The timestamps continue after the newest one, because the published designs with which our
  /// store is compared purge history by date.
  private static func repeatCoreData(_ count: Int, _ after: Int64) -> String {
    """
    BEGIN IMMEDIATE;
    INSERT INTO ATRANSACTION
    SELECT Z_PK + \(count), Z_ENT, Z_OPT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS,
      ZTIMESTAMP + (SELECT max(ZTIMESTAMP) FROM ATRANSACTION) + 1e-6
        - (SELECT ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK = \(after + 1)),
      ZAUTHOR, ZBUNDLEID, ZCONTEXTNAME, ZPROCESSID, ZQUERYGEN
    FROM ATRANSACTION WHERE Z_PK > \(after) ORDER BY Z_PK;
    INSERT INTO ACHANGE
    SELECT NULL, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID + \(count), ZCOLUMNS,
      ZTOMBSTONE0
    FROM ACHANGE WHERE ZTRANSACTIONID > \(after) ORDER BY Z_PK;
    COMMIT
    """
  }
}

/// Records how long a store's connections hold the write lock, with an SQLite VFS of its own.
enum LockWatch {
  /// The name under which results list how long each transaction held the write lock.
  static let contender = "write lock"

  /// Returns the configuration of a store whose locks are recorded.
  ///
  /// The store does not signal other processes, because signalling does not work with a custom VFS.
  ///
  /// - Throws: ``FloorError`` if SQLite does not register the VFS.
  static func configuration() throws(FloorError) -> StoreConfiguration {
    let code = locks_register()
    guard code == 0 else {
      throw FloorError(code: code, message: "SQLite did not register the VFS that records locks")
    }
    var configuration = StoreTemplate.quietConfiguration
    configuration.vfs = String(cString: locks_vfs)
    return configuration
  }

  /// Runs a closure, and returns for how long stores held the write lock each time, in nanoseconds.
  ///
  /// The stores must have the ``configuration()``. Of more than 4,096 times, the result has the
  /// first 4,096 and the longest.
  static func holds(during body: () throws -> Void) throws -> [Double] {
    locks_reset()
    try body()
    let noted = min(locks_count(), Int64(LOCKS_NOTED))
    var holds = (0..<noted).map { Double(locks_hold_ns($0)) }
    let longest = Double(locks_longest_ns())
    if noted > 0 && holds.max() != longest { holds.append(longest) }
    return holds
  }
}

/// Drops the system's cache of a store's files, so that the next read comes from the disk.
enum ColdCache {
  /// An error for a cache that the system did not drop.
  struct Failure: Error, CustomStringConvertible {
    let path: String
    let code: Int32

    var description: String {
      "the system did not drop its cache of \(path) (error \(code)), so the cold cache cannot be "
        + "measured. Measure other conditions with --axis."
    }
  }

  /// Syncs a store's files and drops the system's cache of them (`POSIX_FADV_DONTNEED`).
  static func forget(_ path: String) throws(Failure) {
    for name in [path, path + "-wal"] {
      #if os(Linux)
      let file = open(name, O_RDONLY)
      // A store that was closed has no write-ahead log.
      guard file >= 0 || name == path else { continue }
      guard file >= 0 else { throw Failure(path: name, code: errno) }
      defer { close(file) }
      guard fsync(file) == 0 else { throw Failure(path: name, code: errno) }
      let code = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
      guard code == 0 else { throw Failure(path: name, code: code) }
      #else
      throw Failure(path: name, code: 0)
      #endif
    }
  }
}
