import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import Testing

@testable import HistoryTracking

/// The claims of the kit's tests of cleaning strategies, checked on our tracker.
///
/// The kit's "clean" is our "purge".
@Suite(.inEveryLayout) struct `Conformance: CleanStrategy` {
  let shared: TrackedStore
  let other: ObjectContext

  init() throws {
    shared = try TrackedStore()
    other = try shared.writer("other")
  }

  @Test func `noneStrategyDisablesAutomaticCleanup: all transactions remain`() async throws {
    let app = try await shared.started("app") { $0.strategy = .none }
    try other.write("a", "b")
    #expect(try await app.pass().purgedThrough == nil)
    #expect(try shared.held() == [1, 2])
  }

  @Test
  func `durationStrategyThrottlesCleanup: a purge within the interval deletes no transaction`()
    async throws
  {
    let clock = WallClock()
    let store = try shared.open { $0.clock = clock.read }
    let app = try await shared.started("app", on: store) {
      $0.strategy = .byDuration(.seconds(100))
    }
    try other.write("a", "b")
    try await app.pass()
    #expect(try shared.held() == [1, 2], "the start has purged just now")
    clock.advance(by: 99)
    #expect(try await app.pass().purgedThrough == nil)
    clock.advance(by: 2)
    #expect(try await app.pass().purgedThrough == 1)
    #expect(try shared.held() == [2])
    try other.write("c")
    clock.advance(by: 50)
    // The next launch continues the interval: the time is in the store, not in memory.
    await app.stop()
    try await app.start()
    #expect(try shared.held() == [2, 3])
    clock.advance(by: 51)
    try await app.pass()
    #expect(try shared.held() == [3])
  }

  @Test func `notificationStrategyCleansOnConfiguredCount: only the second non-empty pass purges`()
    async throws
  {
    let app = try await shared.started("app") { $0.strategy = .byNotification(times: 2) }
    try other.write("a", "b")
    #expect(try await app.pass().purgedThrough == nil)
    #expect(try await app.pass().purgedThrough == nil, "a pass without news does not count")
    try other.write("c")
    #expect(try await app.pass().purgedThrough == 2)
    #expect(try shared.held() == [3])
  }

  @Test func `automaticCleanupWaitsForMissingAuthorTimestamps: an unmerged member retains history`()
    async throws
  {
    let app = try await shared.started("app")
    let widget = try await shared.started("widget")
    try other.write("a", "b")
    try await app.pass()
    #expect(try shared.held() == [1, 2])
    try await widget.pass()
    #expect(try shared.held() == [2])
  }

  @Test func `batchAuthorsDoNotBlockCleanupReadiness: a batch author retains no history`()
    async throws
  {
    let app = try await shared.started("app") {
      $0.allAuthors = ["app", "import"]
      $0.batchAuthors = ["import"]
    }
    _ = try shared.open().batchInsert(
      into: "Item",
      [["title": "a"], ["title": "b"]],
      by: BatchAuthor("import")
    )
    try other.write("c")
    #expect(try await app.pass().purgedThrough == 1)
    #expect(try shared.held() == [2])
  }
}
