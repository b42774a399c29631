#if os(Linux)
import Foundation
import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts
import StoreFixtures
import TestSupport
import Testing

/// The memory that contexts need, each in a process of its own, for 20,000 rows or as many as
/// `MEMORY_ROWS` says.
///
/// `MEMORY_ROWS=1000000 scripts/test --filter MemoryTests`
@Suite(.serialized, .needs(.processFiles)) struct MemoryTests {
  /// The memory of a tracker and a context without rows, in bytes.
  static let baseByteCount = 8 << 20
  /// The memory of a context without rows, in bytes.
  static let contextByteCount = 4 << 20

  @Test func `Registered rows need at most three times the bytes of their values`() async {
    await #expect(processExitsWith: .success) {
      let rows = try FilledStore()
      let context = ObjectContext(store: try rows.shared.open())
      let before = try residentByteCount()
      try context.loadAll()
      let growth = try residentByteCount() - before
      let ratio = Double(growth) / Double(rows.valueByteCount)
      print("\(rows.count) registered rows: \(growth) bytes, \(ratio) of their values")
      try #require(context.holdsAllObjects)
      try #require(growth < 3 * rows.valueByteCount + MemoryTests.contextByteCount)
    }
  }

  @Test func `A tracker with an empty view needs the same memory for any number of rows`() async {
    await #expect(processExitsWith: .success) {
      let rows = try FilledStore()
      let before = try residentByteCount()
      let view = ObjectContext(store: try rows.shared.open(), author: "app", name: "view")
      var configuration = TrackerConfiguration(currentAuthor: "app")
      configuration.loadsAllObjects = false
      configuration.logLevel = nil
      let tracker = HistoryTracker(
        "app",
        store: view.store,
        contexts: [view],
        configuration: configuration
      )
      _ = try await tracker.pass()
      try rows.shared.writer("other").write("new")
      try #require(try await tracker.pass().transactionCount == 1)
      let growth = try residentByteCount() - before
      print("a tracker with an empty view over \(rows.count) rows: \(growth) bytes")
      try #require(growth < MemoryTests.baseByteCount)
    }
  }
}

/// A store with the rows of a test of memory.
private struct FilledStore {
  let shared: SharedStore
  let count = ProcessInfo.processInfo.environment["MEMORY_ROWS"].flatMap(Int.init) ?? 20_000
  /// The bytes of the values as SQLite stores them: 8 for a number, and a text's UTF-8.
  let valueByteCount: Int

  init() throws {
    shared = try SharedStore()
    let store = try shared.open()
    var byteCount = 0
    for start in stride(from: 0, to: count, by: 10_000) {
      let rows = (start..<min(start + 10_000, count)).map { number in
        ["title": Value.string("the title of item \(number)"), "count": .int(Int64(number))]
      }
      byteCount += rows.reduce(0) { $0 + 8 + ($1["title"]?.string?.utf8.count ?? 0) }
      try store.batchInsert(into: "Item", rows, by: BatchAuthor("import"))
    }
    valueByteCount = byteCount
  }
}

private func residentByteCount() throws -> Int {
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
  let kilobytes = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
  return try #require(kilobytes) * 1024
}
#endif
