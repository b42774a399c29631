import BenchmarkFloor
import HistoryStore

/// Raw SQLite in C that keeps history as the store does, on a file created by a store.
final class TrackedFloor {
  let side: SideConnection
  private let floor: FloorDatabase
  private let historySize: Int

  init(path: String, historySize: Int) throws {
    floor = try FloorDatabase(path: path)
    side = try SideConnection(path: path)
    self.historySize = historySize
    let configuration = StoreTemplate.configuration
    try floor.takeNames(
      author: "app",
      bundle: configuration.bundleID ?? "",
      process: configuration.processID ?? ""
    )
  }

  /// Inserts slips with consecutive keys, in one transaction.
  func insert(_ items: UnsafeBufferPointer<FloorItem>, firstKey: Int64) throws {
    try floor.insertTracked(items, firstKey: firstKey)
  }

  /// Inserts slips of kind 1 with consecutive keys, in transactions of a thousand.
  ///
  /// More changes may not fit into one row of history.
  func fillSlips(_ count: Int, firstKey: Int64) throws {
    let items = SampleData.items(count).map(\.floorItem)
    for start in stride(from: 0, to: count, by: 1000) {
      try items[start..<min(count, start + 1000)].withUnsafeBufferPointer {
        try insert($0, firstKey: firstKey + Int64(start))
      }
    }
  }

  /// Sets quantity and price of slips by their keys, in one transaction.
  func update(firstKey: Int64, count: Int, quantity: Int64, price: Double) throws {
    try floor.updateTracked(firstKey: firstKey, count: count, quantity: quantity, price: price)
  }

  /// Deletes slips by their keys, in one transaction.
  func delete(firstKey: Int64, count: Int) throws -> Int64 {
    try floor.deleteTracked(firstKey: firstKey, count: count)
  }

  /// Deletes all slips and the new history, outside the timed part.
  func clear() throws {
    try floor.delete(kind: 1)
    try trim()
  }

  /// Deletes the new history, as a store's own trim does.
  func trim() throws {
    _ = try floor.purge(through: try side.head() - Int64(historySize))
  }
}

extension FloorDatabase {
  /// Looks up the names that the transactions refer to.
  fileprivate func takeNames(
    author: String,
    bundle: String,
    process: String
  ) throws(FloorError) {
    try check(floor_take_names(floor, author, bundle, process))
  }

  fileprivate func insertTracked(
    _ items: UnsafeBufferPointer<FloorItem>,
    firstKey: Int64
  ) throws(FloorError) {
    guard let start = items.baseAddress else { return }
    try check(floor_insert_packed(floor, start, Int64(items.count), firstKey))
  }

  fileprivate func updateTracked(
    firstKey: Int64,
    count: Int,
    quantity: Int64,
    price: Double
  ) throws(FloorError) {
    try check(floor_update_packed(floor, firstKey, Int64(count), quantity, price))
  }

  fileprivate func deleteTracked(firstKey: Int64, count: Int) throws(FloorError) -> Int64 {
    var deleted: Int64 = 0
    try check(floor_delete_packed(floor, firstKey, Int64(count), &deleted))
    return deleted
  }
}
