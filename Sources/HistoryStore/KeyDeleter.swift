import PersistentHistory
import SQLiteStorage

/// Deletes rows of one entity by their keys, many per statement; a ``RowCollector`` packs them.
///
/// Starting a statement costs as much as deleting a row, so keys are buffered until there are
/// enough: consecutive keys become a range, other ascending keys a list. Objects are deleted in the
/// order in which they were added. SQLite seeks each row by its key before it calls the collector's
/// function with the row's values.
final class KeyDeleter {
  /// The number of keys from which a list costs less than one statement per key.
  private static let listCountMin = 24
  /// The minimum number of keys of a run with its own statement, and the maximum per statement.
  ///
  /// A statement that calls a function for many rows journals the pages that it changes, up to
  /// sixteen in memory (https://sqlite.org/compile.html#stmtjrnl_spill).
  private static let runCounts = 16...512

  private let one: PreparedStatement
  private let range: PreparedStatement
  private let list: PreparedStatement
  private let keys = UnsafeMutablePointer<Int64>.allocate(capacity: KeyList.count)
  private var count = 0
  private var last: Int64 = 0
  /// Whether each of the keys is the successor of the one before.
  private var isRun = true
  /// Whether each of the keys is greater than the one before.
  private var isRising = true

  init(_ entity: Entity, preserved: String, _ connection: borrowing Connection) throws {
    let delete = "DELETE FROM \"\(entity.name)\" WHERE "
    let collect = " AND history_delete(_key\(preserved))"
    one = try PreparedStatement(connection, delete + "_key = ?1" + collect)
    range = try PreparedStatement(connection, delete + KeyList.range + collect)
    list = try PreparedStatement(connection, delete + KeyList.sql + collect)
  }

  deinit { keys.deallocate() }

  /// Starts a request, and discards keys that a failed request left.
  func begin() {
    count = 0
    isRun = true
    isRising = true
  }

  /// Deletes the row with a key, immediately or with a later flush.
  @inline(__always)
  func add(_ key: Int64) throws {
    if isRun && count > 0 && key == last &+ 1 && count < Self.runCounts.upperBound {
      if count < KeyList.count { keys[count] = key }
    } else {
      if count >= (isRun ? Self.runCounts.lowerBound : KeyList.count) { try flush() }
      isRun = count == 0
      isRising = isRising && (count == 0 || key > last)
      keys[count] = key
    }
    count += 1
    last = key
  }

  /// Deletes the rows of all buffered keys.
  func flush() throws {
    if count > 1 && isRun {
      try KeyList.run(range, from: keys[0], through: last)
    } else if isRising && count >= Self.listCountMin {
      try KeyList.run(list, UnsafeBufferPointer(start: keys, count: count))
    } else {
      try deleteEach()
    }
    begin()
  }

  private func deleteEach() throws {
    for index in 0..<count {
      one.statement.bind(keys[index], at: 1)
      try one.statement.run()
    }
  }
}
