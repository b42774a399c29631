import BenchmarkFloor
import SQLiteStorage

/// Raw SQLite in C on one file, closed when the last reference to it is released.
final class FloorDatabase {
  let floor: OpaquePointer

  /// Opens a file created by a store, with the settings of the store's own connections.
  init(path: String) throws(FloorError) {
    var opened: OpaquePointer?
    let code = floor_open(path, ConnectionOptions().pragmas, &opened)
    guard let opened else { throw FloorError(code: code, message: "out of memory") }
    guard code == 0 else {
      let error = FloorError(code: code, message: String(cString: floor_message(opened)))
      floor_close(opened)
      throw error
    }
    floor = opened
  }

  deinit { floor_close(floor) }

  // MARK: Rows

  /// Inserts slips with consecutive keys.
  func insert(
    _ items: UnsafeBufferPointer<FloorItem>,
    firstKey: Int64,
    version: Int64
  ) throws(FloorError) {
    guard let start = items.baseAddress else { return }
    try check(floor_insert(floor, start, Int64(items.count), firstKey, version))
  }

  /// Sets quantity and price of the slips of a kind, with one statement.
  @discardableResult
  func update(
    kind: Int64,
    version: Int64,
    quantity: Int64,
    price: Double
  ) throws(FloorError) -> Int64 {
    var changed: Int64 = 0
    try check(floor_update(floor, kind, version, quantity, price, &changed))
    return changed
  }

  /// Deletes the slips of a kind, with one statement.
  @discardableResult
  func delete(kind: Int64) throws(FloorError) -> Int64 {
    var changed: Int64 = 0
    try check(floor_delete(floor, kind, &changed))
    return changed
  }

  /// Sets quantity and price of slips by their keys, with one statement each.
  func updateSlips(
    firstKey: Int64,
    count: Int,
    version: Int64,
    quantity: Int64,
    price: Double
  ) throws(FloorError) {
    try check(
      floor_update_slips(floor, firstKey, Int64(count), version, quantity, price)
    )
  }

  /// Deletes slips by their keys, with one statement each.
  func deleteSlips(firstKey: Int64, count: Int) throws(FloorError) -> Int64 {
    var deleted: Int64 = 0
    try check(floor_delete_slips(floor, firstKey, Int64(count), &deleted))
    return deleted
  }

  /// Sets quantity and price of items by their keys, with one statement each.
  func updateItems(
    _ keys: UnsafeBufferPointer<Int64>,
    version: Int64,
    quantity: Int64,
    price: Double
  ) throws(FloorError) {
    guard let start = keys.baseAddress else { return }
    try check(
      floor_update_items(floor, start, Int64(keys.count), version, quantity, price)
    )
  }

  /// Reads items by their sorted keys into memory that has room for one per key.
  ///
  /// - Returns: the number of items found.
  func rows(
    _ keys: [Int64],
    into rows: UnsafeMutableBufferPointer<FloorRow>
  ) throws(FloorError) -> Int {
    guard let room = rows.baseAddress, keys.count <= rows.count else { return 0 }
    var found: Int64 = 0
    let code = keys.withUnsafeBufferPointer { keys in
      keys.baseAddress.map { floor_rows(floor, $0, Int64(keys.count), room, &found) } ?? 0
    }
    try check(code)
    return Int(found)
  }

  // MARK: History

  /// Fetches a page of transactions, and passes it to a closure before freeing it.
  func fetch<Result>(
    after number: Int64,
    limit: Int,
    _ body: (borrowing FloorPage) -> Result
  ) throws(FloorError) -> Result {
    var page = FloorPage()
    defer { floor_page_free(&page) }
    try check(floor_fetch(floor, number, Int64(limit), &page))
    return body(page)
  }

  /// Deletes the transactions up to and including a number.
  func purge(through number: Int64) throws(FloorError) -> Int64 {
    var deleted: Int64 = 0
    try check(floor_purge(floor, number, &deleted))
    return deleted
  }

  // MARK: Members

  /// Sets a member's cursor.
  func record(
    _ member: String,
    cursor: Int64,
    mark: Int64,
    seen: Double
  ) throws(FloorError) {
    try check(floor_record(floor, member, cursor, mark, seen))
  }

  /// Increments and returns a member's epoch.
  func join(_ member: String, seen: Double) throws(FloorError) -> Int64 {
    var epoch: Int64 = 0
    try check(floor_join(floor, member, seen, &epoch))
    return epoch
  }

  /// Throws an error if a result code of the floor is not 0.
  func check(_ code: Int32) throws(FloorError) {
    guard code == 0 else {
      throw FloorError(code: code, message: String(cString: floor_message(floor)))
    }
  }
}

/// An error of SQLite in the floor.
struct FloorError: Error, Hashable, CustomStringConvertible {
  /// The extended result code.
  let code: Int32
  /// SQLite's own message.
  let message: String

  /// A message with the failure and a suggestion.
  var description: String {
    "The floor failed with SQLite's code \(code) (\(message)). Look at the space and the "
      + "permissions of the folder that the benchmarks use."
  }
}
