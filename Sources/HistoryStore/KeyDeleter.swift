import PersistentHistory
import SQLiteStorage

/// Deletes rows of one entity by their keys, as many with one statement as it can, and lets a
/// ``RowCollector`` pack them.
///
/// Starting a statement costs as much as deleting a row, so keys are kept until there are enough:
/// those that follow one another become a range, others that rise a list; objects are deleted in the
/// order in which they were named. SQLite goes to each row by its key before it calls the collector's
/// function with the row's values.
final class KeyDeleter {
  /// From how many keys on a list is less work than a statement for each.
  private static let listCountMin = 24
  /// From how many keys on a run is worth a statement of its own, and how many it takes: a statement
  /// that calls a function for many rows keeps the pages that it changes, in memory up to sixteen
  /// (https://sqlite.org/compile.html#stmtjrnl_spill).
  private static let runCounts = 16...512

  private let one: PreparedStatement
  private let range: PreparedStatement
  private let list: PreparedStatement
  private let keys = UnsafeMutablePointer<Int64>.allocate(capacity: KeyList.count)
  private var count = 0
  private var last: Int64 = 0
  /// Whether each of the keys follows the one before.
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

  /// Begins a request, and forgets the keys that one which failed has left.
  func begin() {
    count = 0
    isRun = true
    isRising = true
  }

  /// Deletes the row with a key, now or later.
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

  /// Deletes the rows whose keys are kept.
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
