import Foundation
import HistoryStore
import HistoryTracking
import ObjectContexts
import PersistentHistory
import SQLiteStorage
import TestSupport
import Testing

/// A tracker that follows its store, told by signals alone: the poll comes once in an hour.
@Suite struct FollowingTests {
  private let folder: TemporaryFolder
  private let passes = PassLog()

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> Store {
    var configuration = StoreConfiguration()
    configuration.changePollMs = 3_600_000
    configuration.busyTimeoutMs = 0
    let passes = passes
    // A purge ends every pass, and asks for its bound once.
    configuration.rules.purgeBound = { _, watermark, head in
      passes.note(watermark)
      return min(watermark, head - 1)
    }
    let model = try Model([Entity("Item", [Attribute("title", .string)])])
    return try Store(path: folder.path("store"), model: model, configuration: configuration)
  }

  private func tracker(_ view: ObjectContext) -> HistoryTracker {
    HistoryTracker("app", store: view.store, contexts: [view])
  }

  @Test func `A tracker that is started merges what others write without being asked`() async throws
  {
    let view = ObjectContext(store: try open(), author: "app")
    let tracker = tracker(view)
    let writer = try open()
    try writer.add("before")
    #expect(try await tracker.start().transactionCount == 0)
    #expect(try view.titles() == ["before"])
    for number in Int64(2)...5 {
      try writer.add("\(number)")
      passes.wait(for: number)
    }
    #expect(await tracker.failure == nil)
    #expect(try view.titles() == ["before", "2", "3", "4", "5"])
    await tracker.stop()
  }

  @Test func `Commits during a pass lead to exactly one more`() async throws {
    let view = ObjectContext(store: try open(), author: "app")
    let tracker = tracker(view)
    let writer = try open()
    try await tracker.start()
    let gate = DispatchSemaphore(value: 0)
    passes.holdNext(gate)
    try writer.add("first")
    passes.wait(for: 1)
    for index in 2...6 { try writer.add("\(index)") }
    gate.signal()
    passes.wait(for: 6)
    try writer.add("last")
    passes.wait(for: 7)
    #expect(passes.watermarks == [0, 1, 6, 7])
    await tracker.stop()
  }

  @Test func `Starting catches up with what was written while the tracker was stopped`() async throws
  {
    let view = ObjectContext(store: try open(), author: "app")
    let tracker = tracker(view)
    let writer = try open()
    try await tracker.start()
    await tracker.stop()
    try writer.add("meanwhile")
    #expect(passes.watermarks == [0])
    #expect(try await tracker.start().transactionCount == 1)
    #expect(try await tracker.start().transactionCount == 0)
    try writer.add("after")
    passes.wait(for: 2)
    #expect(passes.watermarks == [0, 1, 1, 2])
    await tracker.stop()
  }

  @Test func `A pass that found the store busy is repeated without another signal`() async throws {
    let view = ObjectContext(store: try open(), author: "app")
    let tracker = tracker(view)
    try await tracker.start()
    let other = try Connection(path: folder.path("store"))
    let gate = DispatchSemaphore(value: 0)
    passes.holdNext(gate)
    let writer = try open()
    try writer.add("first")
    passes.wait(for: 1)
    try writer.add("second")
    try other.execute("BEGIN IMMEDIATE")
    gate.signal()
    while await tracker.failure?.isBusy != true { await Task.yield() }
    try other.execute("ROLLBACK")
    passes.wait(for: 2)
    while await tracker.failure != nil { await Task.yield() }
    await tracker.stop()
  }

  @Test func `A tracker that was dropped without being stopped is freed with all that it held`()
    async throws
  {
    weak var freed: HistoryTracker?
    weak var store: Store?
    func use() async throws {
      let view = ObjectContext(store: try open(), author: "app")
      let tracker = tracker(view)
      freed = tracker
      store = view.store
      try await tracker.start()
      try open().add("a")
      passes.wait(for: 1)
    }
    try await use()
    let deadline = ContinuousClock.now + .seconds(20)
    while freed != nil || store != nil, ContinuousClock.now < deadline { await Task.yield() }
    #expect(freed == nil)
    #expect(store == nil)
    try open().add("b")
    #expect(passes.watermarks == [0, 1])
  }
}

/// The watermark at the end of each pass, a way to wait for one, and a way to make one take long.
private final class PassLog: @unchecked Sendable {
  private let condition = NSCondition()
  private var noted: [Int64] = []
  private var gate: DispatchSemaphore?

  var watermarks: [Int64] { condition.withLock { noted } }

  /// Makes the next pass wait, after it was noted.
  func holdNext(_ gate: DispatchSemaphore) { condition.withLock { self.gate = gate } }

  func note(_ watermark: Int64) {
    let held = condition.withLock { () -> DispatchSemaphore? in
      noted.append(watermark)
      condition.broadcast()
      defer { gate = nil }
      return gate
    }
    held?.wait()
  }

  /// Waits for a pass that merged through a number; records an issue when none comes.
  func wait(for number: Int64, at location: SourceLocation = #_sourceLocation) {
    let deadline = Date(timeIntervalSinceNow: 20)
    let came = condition.withLock {
      while !noted.contains(number) {
        guard condition.wait(until: deadline) else { return false }
      }
      return true
    }
    if !came {
      Issue.record("no pass reached \(number), only \(watermarks)", sourceLocation: location)
    }
  }
}

extension Store {
  fileprivate func add(_ title: String) throws {
    _ = try batchInsert(into: "Item", by: BatchAuthor("widget")) { row in
      defer { row.set(title, at: 0) }
      return false
    }
  }
}

extension ObjectContext {
  fileprivate func titles() throws -> [Value] {
    try registeredObjects("Item").map { $0["title"] }
  }
}
