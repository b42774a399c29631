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

  @Test func `All rows need at most one and a half times the bytes of their values`() async {
    await #expect(processExitsWith: .success) {
      let context = try requireMemory(of: "loaded") { try $0.loadAll() }
      try #require(context.holdsAllObjects)
    }
  }

  @Test func `Rows that a query finds need no more memory than all rows`() async {
    await #expect(processExitsWith: .success) {
      _ = try requireMemory(of: "found") { _ = try $0.objects("Item") }
    }
  }

  @Test func `Rows that are found in another order need no more memory than all rows`() async {
    await #expect(processExitsWith: .success) {
      _ = try requireMemory(of: "sorted") {
        _ = try $0.objects("Item", sortedBy: [.descending("count")])
      }
    }
  }

  @Test func `Refreshed rows need no more memory than all rows`() async {
    await #expect(processExitsWith: .success) {
      _ = try requireMemory(of: "refreshed") {
        _ = try $0.objects("Item")
        try $0.refreshAll()
      }
    }
  }

  @Test func `Rows that are read in twenty pages need no more memory than a few pages`() async {
    await #expect(processExitsWith: .success) {
      returnFreedMemory()
      let rows = try FilledStore(isWide: true)
      // SQLite's cache of the file's pages would grow otherwise.
      let context = ObjectContext(store: try rows.shared.open { $0.cacheSizeKiB = 1024 })
      let before = try residentByteCount()
      var count = 0
      while true {
        let page = try context.objects("Item", limit: rows.count / 20, offset: count)
        if page.isEmpty { break }
        count += page.count
      }
      let growth = try residentByteCount() - before
      print("\(count) rows in pages: \(growth) bytes")
      let most = MemoryTests.baseByteCount + rows.valueByteCount / 5
      try #require(count == rows.count && growth < most)
    }
  }

  @Test func `An unused context soon frees the objects that were let go`() async {
    await #expect(processExitsWith: .success) {
      returnFreedMemory()
      let rows = try FilledStore(isWide: true)
      let context = ObjectContext(store: try rows.shared.open())
      let before = try residentByteCount()
      var found = try context.objects("Item")
      try #require(found.count == rows.count)
      let most = try residentByteCount() - before
      found = []
      let growth = try residentByteCount() - before
      print("\(rows.count) rows: \(most) bytes, then \(growth)")
      try #require(most > rows.valueByteCount && growth < MemoryTests.baseByteCount)
      withExtendedLifetime(context) {}
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

/// Registers the rows of a store with a new context, and requires that they need little memory.
private func requireMemory(
  of kind: String,
  _ register: (ObjectContext) throws -> Void
) throws -> ObjectContext {
  returnFreedMemory()
  let rows = try FilledStore(isWide: true)
  let context = ObjectContext(store: try rows.shared.open(), retainsRegisteredObjects: true)
  let before = try residentByteCount()
  try register(context)
  let growth = try residentByteCount() - before
  let ratio = Double(growth) / Double(rows.valueByteCount)
  print("\(rows.count) \(kind) rows: \(growth) bytes, \(ratio) of their values")
  try #require(try context.registeredObjects("Item").count == rows.count)
  try #require(growth < rows.valueByteCount * 3 / 2 + MemoryTests.contextByteCount)
  return context
}

/// A store with the rows of a test of memory.
private struct FilledStore {
  let shared: SharedStore
  let count: Int
  /// The bytes of the values as SQLite stores them: 8 for a number, and a text's UTF-8.
  let valueByteCount: Int

  /// Fills a store; wide rows have long texts, unless the environment says how many rows there are.
  ///
  /// Wide rows take eight times as much memory as SQLite's page cache may take in a scan.
  init(isWide: Bool = false) throws {
    let given = ProcessInfo.processInfo.environment["MEMORY_ROWS"].flatMap(Int.init)
    count = given ?? 20_000
    let padding = String(repeating: "x", count: isWide && given == nil ? 800 : 0)
    shared = try SharedStore()
    let store = try shared.open()
    var byteCount = 0
    for start in stride(from: 0, to: count, by: 10_000) {
      let rows = (start..<min(start + 10_000, count)).map { number in
        [
          "title": Value.string("the title of item \(number)\(padding)"),
          "count": .int(Int64(number)),
        ]
      }
      byteCount += rows.reduce(0) { $0 + 8 + ($1["title"]?.string?.utf8.count ?? 0) }
      try store.batchInsert(into: "Item", rows, by: BatchAuthor("import"))
    }
    valueByteCount = byteCount
  }
}

/// Makes the allocator return large blocks to the system when they are freed.
///
/// In the arena of a thread other than the first one, glibc keeps them otherwise, even with `malloc_trim`.
private func returnFreedMemory() {
  typealias Option = @convention(c) (Int32, Int32) -> Int32
  let mmapThreshold: Int32 = -3
  if let option = dlsym(nil, "mallopt") {
    _ = unsafeBitCast(option, to: Option.self)(mmapThreshold, 128 << 10)
  }
}

/// The resident memory, after freed memory is returned to the system.
private func residentByteCount() throws -> Int {
  typealias Trim = @convention(c) (Int) -> Int32
  if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: Trim.self)(0) }
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
  let kilobytes = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
  return try #require(kilobytes) * 1024
}
#endif
