import BenchmarkFloor
import Foundation
import HistoryStore
import HistoryTypes
import Measuring

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

  /// Inserts a row of entity `Slip` for each item, with consecutive keys, in one transaction.
  func insert(_ items: UnsafeBufferPointer<FloorItem>, firstKey: Int64) throws {
    try floor.insertTracked(items, firstKey: firstKey)
  }

  /// Inserts `Slip` objects of kind 1 with consecutive keys, in transactions of a thousand.
  ///
  /// The changes of a larger transaction might not fit into one row of history.
  func fillSlips(_ count: Int, firstKey: Int64) throws {
    let items = SampleData.items(count).map(\.floorItem)
    for start in stride(from: 0, to: count, by: 1000) {
      try items[start..<min(count, start + 1000)].withUnsafeBufferPointer {
        try insert($0, firstKey: firstKey + Int64(start))
      }
    }
  }

  /// Sets quantity and price of `Slip` objects by their keys, in one transaction.
  func update(firstKey: Int64, count: Int, quantity: Int64, price: Double) throws {
    try floor.updateTracked(firstKey: firstKey, count: count, quantity: quantity, price: price)
  }

  /// Deletes `Slip` objects by their keys, in one transaction.
  func delete(firstKey: Int64, count: Int) throws -> Int64 {
    try floor.deleteTracked(firstKey: firstKey, count: count)
  }

  /// Deletes all rows of the sample entity `Slip`, and trims the history to its original size.
  ///
  /// Benchmarks call this after a measurement, while no time is measured.
  func clear() throws {
    try floor.delete(kind: 1)
    try trim()
  }

  /// Deletes the oldest transactions, so that the history has its original size again.
  func trim() throws {
    _ = try floor.purge(through: try side.head() - Int64(historySize))
  }
}

extension FloorDatabase {
  /// Looks up the numbers of the strings to which each transaction refers: author, bundle, process.
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

/// A process that commits to a store and reports the times, for measuring signals.
enum CommitPeer {
  /// A commit, with the time when it was done and the duration of signalling it.
  struct Commit {
    /// The transaction's number.
    let number: Int64
    /// The time after SQLite's commit and before other processes are signalled (monotonic, in ns).
    let doneNs: UInt64
    /// The duration of signalling other processes, in ns.
    let signalNs: UInt64
  }

  /// Starts a process that makes a number of commits, and waits until the process has ended.
  ///
  /// The process pauses for `pauseUs` microseconds before each commit.
  ///
  /// - Returns: the number and the times of each commit, in order.
  static func commits(
    _ command: String,
    path: String,
    commits: Int,
    pauseUs: Int
  ) throws -> [Commit] {
    let peer = try HelperProcess.start(command, .commit, [path, "\(commits)", "\(pauseUs)"])
    var done: [Commit] = []
    try peer.finish { numbers in
      guard numbers.count == 3 else { return }
      done.append(
        Commit(
          number: numbers[0],
          doneNs: UInt64(bitPattern: numbers[1]),
          signalNs: UInt64(bitPattern: numbers[2])
        )
      )
    }
    return done
  }

  /// Commits to the store that the arguments name, and prints the times of all commits at the end.
  static func run(_ arguments: [String], _ print: ([Int64]) -> Void) throws {
    guard arguments.count == 3, let commits = Int(arguments[1]),
      let pauseUs = UInt32(arguments[2])
    else { throw HelperProcess.WrongArguments() }
    for line in try commit(path: arguments[0], commits, pauseUs) { print(line) }
  }

  private static func commit(
    path: String,
    _ commits: Int,
    _ pauseUs: UInt32
  ) throws -> [[Int64]] {
    let moment = Moment()
    var configuration = StoreTemplate.configuration
    configuration.actionObserver = StoreActionObserver(begins: { _ in }, ends: { _ in })
    configuration.actionObserver?.signals = { _ in moment.ns = NanosecondClock.wall.now() }
    let store = try Store(path: path, configuration: configuration)
    let item = SampleItem(1)
    return try (0..<commits).map { _ in
      usleep(pauseUs)
      var isDone = false
      let result = try store.batchInsert(into: SampleData.slip, by: BatchAuthor("peer")) { row in
        guard !isDone else { return false }
        row.set(item)
        isDone = true
        return true
      }
      let end = NanosecondClock.wall.now()
      return [result.transaction?.number.rawValue ?? 0, Int64(moment.ns), Int64(end - moment.ns)]
    }
  }
}

/// The time of the last commit; only the committing thread uses it.
private final class Moment: @unchecked Sendable {
  var ns: UInt64 = 0
}
