import HistoryStore
import HistoryTypes
import ObjectContexts
import Testing

@testable import HistoryTracking

/// The claims of the kit's tests of its manual cleaner, checked on a purge of the store.
@Suite struct `Conformance: ManualCleaner` {
  let shared: TrackedStore
  let other: ObjectContext

  init() throws {
    shared = try TrackedStore()
    other = try shared.writer("other")
  }

  @Test func `cleanNormalFlow: rows survive the purge`() async throws {
    let app = try await shared.started("app") { $0.strategy = .none }
    try other.write("a", "b")
    try await app.pass()
    try shared.open().purge()
    try other.loadAll()
    #expect(try other.titles == ["a", "b"])
  }

  @Test func `getLastCommonTimestamp: the purge returns the watermark`() async throws {
    let app = try await shared.started("app") { $0.strategy = .none }
    let widget = try await shared.started("widget") { $0.strategy = .none }
    try other.write("a", "b", "c")
    try await app.pass()
    #expect(try app.store.purge().watermark == 0)
    try await widget.pass()
    #expect(try app.store.purge().watermark == 3)
  }

  @Test func `handleEmptyTimestamp: without members the watermark is the head`() async throws {
    try other.write("a", "b")
    let result = try shared.open().purge()
    #expect(result.watermark == 2 && result.purgedThrough == 1)
  }

  @Test func `verifyTransactionCountAfterClean: only the newest merged transaction remains`()
    async throws
  {
    let app = try await shared.started("app") { $0.strategy = .none }
    try other.write("a", "b", "c", "d")
    try await app.pass()
    try other.write("e")
    #expect(try app.store.purge().transactionCount == 4)
    #expect(try shared.held() == [5])
    try await app.pass()
    #expect(try app.view.titles == ["a", "b", "c", "d", "e"])
  }
}
