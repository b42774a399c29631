import Foundation
import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts
import StoreFixtures
import Testing

/// What contexts keep in memory, for as many rows as `MEMORY_ROWS` says, in a process without other tests.
///
/// `MEMORY_ROWS=1000000 scripts/test --filter MemoryTests`
@Suite(.serialized) struct MemoryTests {
  private static let rowCount =
    ProcessInfo.processInfo.environment["MEMORY_ROWS"].flatMap(Int.init) ?? 0
  private static let isOn = rowCount > 0 && FileManager.default.fileExists(atPath: statusPath)
  private static let statusPath = "/proc/self/status"

  let shared: SharedStore
  /// The bytes of the values as SQLite stores them: 8 for a number, and a text's UTF-8.
  private let valueByteCount: Int

  init() throws {
    shared = try SharedStore()
    let store = try shared.open()
    var byteCount = 0
    for start in stride(from: 0, to: Self.rowCount, by: 10_000) {
      let rows = (start..<min(start + 10_000, Self.rowCount)).map { number in
        ["title": Value.string("the title of item \(number)"), "count": .int(Int64(number))]
      }
      byteCount += rows.reduce(0) { $0 + 8 + ($1["title"]?.string?.utf8.count ?? 0) }
      try store.batchInsert(into: "Item", rows, by: BatchAuthor("import"))
    }
    valueByteCount = byteCount
  }

  @Test(.enabled(if: isOn, "set MEMORY_ROWS, and run on Linux"))
  func `Registered rows need at most nine times the bytes of their values`() throws {
    let context = ObjectContext(store: try shared.open())
    let before = try Self.residentByteCount()
    try context.loadAll()
    let growth = try Self.residentByteCount() - before
    let ratio = Double(growth) / Double(valueByteCount)
    print("\(Self.rowCount) registered rows: \(growth) bytes, \(ratio) of their values")
    #expect(ratio < 9 && context.holdsAllObjects)
  }

  @Test(.enabled(if: isOn, "set MEMORY_ROWS, and run on Linux"))
  func `A tracker with an empty view needs the same memory for any number of rows`() async throws {
    let before = try Self.residentByteCount()
    let view = ObjectContext(store: try shared.open(), author: "app", name: "view")
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
    try shared.writer("other").write("new")
    #expect(try await tracker.pass().transactionCount == 1)
    let growth = try Self.residentByteCount() - before
    print("a tracker with an empty view over \(Self.rowCount) rows: \(growth) bytes")
    #expect(growth < 64 << 20)
  }

  private static func residentByteCount() throws -> Int {
    let status = try String(contentsOfFile: statusPath, encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    let kilobytes = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
    return try #require(kilobytes) * 1024
  }
}
