import Foundation
import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts
import SQLiteStorage
import StoreFixtures
import Testing

/// A tracker that follows its store by signals: it polls once an hour.
@Suite(.serialized) struct FollowingTests {
  private let shared: SharedStore
  private let passes = PassLog()

  init() throws { shared = try SharedStore() }

  private func open(busyTimeout: Duration = .seconds(5)) throws -> Store {
    let passes = passes
    return try shared.open {
      $0.changePollInterval = .seconds(3600)
      $0.busyTimeout = busyTimeout
      // A purge ends every pass and records its cursor; the only member's cursor is the watermark.
      $0.actionObserver = StoreActionObserver(
        begins: { passes.note($0.cursor?.number) },
        ends: { _ in }
      )
    }
  }

  /// A tracker on a separate thread, which a waiting pass blocks.
  private func tracker(_ view: ObjectContext) -> HistoryTracker {
    var configuration = TrackerConfiguration(currentAuthor: "app")
    configuration.merger = HeldMerger(passes: passes)
    configuration.executor = ThreadExecutor()
    return HistoryTracker("app", store: view.store, contexts: [view], configuration: configuration)
  }

  @Test func `A started tracker merges others' commits automatically`() async throws {
    let view = ObjectContext(store: try open(), author: "app")
    let tracker = tracker(view)
    let writer = try shared.writer("widget")
    try writer.write("before")
    #expect(try await tracker.start().transactionCount == 0)
    #expect(try view.titles == ["before"])
    for number in Int64(2)...5 {
      try writer.write("\(number)")
      await passes.wait(for: number)
    }
    #expect(await tracker.failure == nil)
    #expect(try view.titles == ["2", "3", "4", "5", "before"])
    await tracker.stop()
  }

  @Test func `Commits during a pass lead to exactly one more`() async throws {
    let view = ObjectContext(store: try open(), author: "app")
    let tracker = tracker(view)
    let writer = try shared.writer("widget")
    try await tracker.start()
    passes.holdNextMerge()
    try writer.write("first")
    await passes.waitUntilHeld()
    for index in 2...6 { try writer.write("\(index)") }
    passes.letGo()
    await passes.wait(for: 6)
    try writer.write("last")
    await passes.wait(for: 7)
    #expect(passes.watermarks == [0, 1, 6, 7])
    await tracker.stop()
  }

  @Test func `A late signal of merged transactions leads to no pass`() async throws {
    let view = ObjectContext(store: try open(), author: "app")
    let (signals, continuation) = AsyncStream.makeStream(of: HistoryToken.self)
    var configuration = TrackerConfiguration(currentAuthor: "app")
    configuration.signals = { _ in signals }
    let tracker = HistoryTracker(
      "app",
      store: view.store,
      contexts: [view],
      configuration: configuration
    )
    let writer = try shared.writer("widget")
    try await tracker.start()
    try writer.write("first")
    try await tracker.pass()
    continuation.yield(try view.store.currentToken())
    for number in Int64(2)...3 {
      try writer.write("\(number)")
      continuation.yield(try view.store.currentToken())
      await passes.wait(for: number)
    }
    #expect(passes.watermarks == [0, 1, 2, 3])
    await tracker.stop()
  }

  @Test func `Starting merges the commits made while the tracker was stopped`()
    async throws
  {
    let view = ObjectContext(store: try open(), author: "app")
    let tracker = tracker(view)
    let writer = try shared.writer("widget")
    try await tracker.start()
    await tracker.stop()
    try writer.write("meanwhile")
    #expect(passes.watermarks == [0])
    #expect(try await tracker.start().transactionCount == 1)
    #expect(try await tracker.start().transactionCount == 0)
    try writer.write("after")
    await passes.wait(for: 2)
    #expect(passes.watermarks == [0, 1, 1, 2])
    await tracker.stop()
  }

  @Test func `A pass that found the store busy is retried without another signal`() async throws {
    let view = ObjectContext(store: try open(busyTimeout: .zero), author: "app")
    let tracker = tracker(view)
    try await tracker.start()
    let other = try Connection(path: shared.path)
    passes.holdNextMerge()
    try shared.writer("widget").write("first")
    await passes.waitUntilHeld()
    try other.execute("BEGIN IMMEDIATE")
    passes.letGo()
    await eventually("the pass is refused") { await tracker.failure?.isBusy == true }
    try other.execute("ROLLBACK")
    await passes.wait(for: 1)
    await eventually("the failure is over") { await tracker.failure == nil }
    await tracker.stop()
  }

  @Test func `A suspended tracker rests, and catches up when it is resumed`() async throws {
    let view = ObjectContext(store: try open(), author: "app")
    let tracker = tracker(view)
    let writer = try shared.writer("widget")
    try await tracker.start()
    try tracker.suspend()
    for title in ["a", "b"] { try writer.write(title) }
    await #expect(throws: HistoryError.suspended(path: shared.path)) { try await tracker.pass() }
    #expect(passes.watermarks == [0])
    try tracker.resume()
    await passes.wait(for: 2)
    await eventually("the failure is over") { await tracker.failure == nil }
    #expect(try view.titles == ["a", "b"])
    try writer.write("c")
    await passes.wait(for: 3)
    await tracker.stop()
  }

  @Test func `A pass that a suspension stops is repeated after it`() async throws {
    let view = ObjectContext(store: try open(), author: "app")
    let tracker = tracker(view)
    try await tracker.start()
    passes.holdNextMerge()
    try shared.writer("widget").write("first")
    await passes.waitUntilHeld()
    try tracker.suspend()
    passes.letGo()
    await eventually("the pass fails") { await tracker.failure?.code == .suspended }
    #expect(passes.watermarks == [0])
    try tracker.resume()
    await passes.wait(for: 1)
    await eventually("the failure is over") { await tracker.failure == nil }
    await tracker.stop()
  }

  @Test func `A tracker released without being stopped is freed with everything it retained`()
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
      try shared.writer("widget").write("a")
      await passes.wait(for: 1)
    }
    try await use()
    await eventually("both are freed") { freed == nil && store == nil }
    try shared.writer("widget").write("b")
    #expect(passes.watermarks == [0, 1])
  }
}

/// The default merge, delayed until the test permits it.
private struct HeldMerger: TransactionMerger {
  let passes: PassLog

  func merge(_ transactions: [HistoryTransaction], into contexts: [ObjectContext]) async throws {
    passes.mayMerge()
    try DefaultMerger().merge(transactions, into: contexts)
  }
}

/// The watermark at the end of each pass, with a blocking wait, and a way to delay a pass.
private final class PassLog: @unchecked Sendable {
  private enum Gate {
    case open
    case closed
    case holding
  }

  private let condition = NSCondition()
  private var noted: [Int64] = []
  private var gate = Gate.open

  var watermarks: [Int64] { condition.withLock { noted } }

  /// Records the watermark if a pass has raised it, or that it did not change.
  func note(_ watermark: Int64?) {
    condition.withLock {
      noted.append(watermark ?? noted.last ?? 0)
      condition.broadcast()
    }
  }

  /// Makes the next pass wait after its fetch.
  func holdNextMerge() { set(.closed) }

  /// Resumes the waiting pass.
  func letGo() { set(.open) }

  private func set(_ gate: Gate) {
    condition.withLock {
      self.gate = gate
      condition.broadcast()
    }
  }

  /// Blocks while a pass is delayed.
  func mayMerge() {
    condition.withLock {
      guard gate == .closed else { return }
      gate = .holding
      condition.broadcast()
      while gate == .holding { condition.wait() }
    }
  }

  /// Waits until a pass is delayed.
  func waitUntilHeld(at location: SourceLocation = #_sourceLocation) async {
    await wait("a pass begins", at: location) { self.gate == .holding }
  }

  /// Waits for a pass that merged up to a number.
  func wait(for number: Int64, at location: SourceLocation = #_sourceLocation) async {
    await wait("a pass reaches \(number)", at: location) { self.noted.contains(number) }
  }

  private func wait(
    _ what: String,
    at location: SourceLocation,
    _ isSo: () -> Bool
  ) async {
    await eventually("\(what), only \(watermarks)", at: location) {
      condition.withLock(isSo)
    }
  }
}
