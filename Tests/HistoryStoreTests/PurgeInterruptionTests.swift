import Faults
import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import Testing

/// A process that ends at any call of a purge, and another that completes the purge.
@Suite struct `Interrupted purges` {
  private let files = HeapFileSystem(seed: 1)

  private func open(_ layout: HistoryLayout) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.vfs = files.name
    configuration.busyTimeout = .zero
    configuration.layout = layout
    configuration.purgeChunkCount = 3
    configuration.clock = { Date(timeIntervalSinceReferenceDate: 1000) }
    return try Store(path: "purge", model: try StoreFixture.model(), configuration: configuration)
  }

  private func rows(_ layout: HistoryLayout) throws -> [Int64] {
    var options = ConnectionOptions()
    options.vfs = files.name
    let connection = try Connection(path: "purge", options)
    let query = try Statement(
      connection,
      "SELECT \(layout.number) FROM \(layout.transactions) ORDER BY 1"
    )
    var numbers: [Int64] = []
    while try query.step() { numbers.append(query.int(0)) }
    return numbers
  }

  @Test(arguments: HistoryLayout.allCases)
  func `An interrupted purge is visible entirely or not at all, and another process completes it`(
    layout: HistoryLayout
  ) throws {
    let all = [Int64](1...12)
    try prepare(layout)
    let image = files.snapshot()
    var (interrupted, halfDeleted) = (0, 0)
    for k in 1...1000 {
      files.restore(image)
      guard try purgeFails(layout, at: k) else { break }
      interrupted += 1
      // The process is gone, and the process that opens the file now shares no state with it.
      let store = try open(layout)
      let held = try store.heldNumbers()
      let isLost = try store.members().contains { $0.state == .lost }
      #expect(held == all || held == [4, 10, 11, 12], "call \(k)")
      #expect(isLost == (held != all), "call \(k): a member is lost with its history, not before")
      let left = try rows(layout)
      if left != all && left != [4, 10, 11, 12] { halfDeleted += 1 }
      try store.purge(retaining: RetentionLimits(transactionCount: 3))
      #expect(try rows(layout) == [4, 10, 11, 12], "call \(k)")
    }
    #expect(interrupted > 10 && halfDeleted > 2, "\(interrupted), \(halfDeleted)")
  }

  /// Twelve transactions, one of them protected, a member at the beginning and one at the ninth.
  private func prepare(_ layout: HistoryLayout) throws {
    let store = try open(layout)
    _ = try store.join("slow")
    for number in 1...12 {
      try store.add("a", by: number == 4 ? PurgeTests.mirror : "app")
      if number == 9 { _ = try store.join("fast") }
    }
  }

  private func purgeFails(_ layout: HistoryLayout, at call: Int) throws -> Bool {
    let store = try open(layout)
    files.arm([FileFault(.ioError, k: call, from: true)])
    defer { _ = files.disarm() }
    do throws(HistoryError) {
      try store.purge(retaining: RetentionLimits(transactionCount: 3))
      return false
    } catch {
      return true
    }
  }
}
