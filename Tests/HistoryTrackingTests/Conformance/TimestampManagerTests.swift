import HistoryStore
import HistoryTypes
import ObjectContexts
import Testing

@testable import HistoryTracking

/// The claims of the kit's tests of timestamps, checked on our cursors and watermark.
@Suite struct `Conformance: TimestampManager` {
  let shared: TrackedStore
  let other: ObjectContext

  init() throws {
    shared = try TrackedStore()
    other = try shared.writer("other")
  }

  @Test
  func `returnsNilWhenRequiredAuthorIsMissingTimestamp: the watermark is the registration`()
    async throws
  {
    let app = try await shared.started("app")
    _ = try await shared.started("widget")
    try other.write("a", "b", "c")
    try await app.pass()
    #expect(try await app.purge().watermark == 0)
  }

  @Test func `returnsMinimumTimestampWhenAllRequiredAuthorsArePresent: the lowest cursor`()
    async throws
  {
    let app = try await shared.started("app") { $0.strategy = .none }
    let widget = try await shared.started("widget") { $0.strategy = .none }
    try other.write("a", "b")
    try await widget.pass()
    try other.write("c", "d")
    try await app.pass()
    let result = try await app.purge()
    #expect(result.watermark == 2 && result.purgedThrough == 2)
    #expect(try shared.held() == [3, 4])
  }

  @Test func `batchAuthorsAreExcludedFromReadinessChecks: batch authors are not members`()
    async throws
  {
    let app = try await shared.started("app") { $0.batchAuthors = ["import"] }
    try shared.writer("import").write("a", "b")
    try await app.pass()
    #expect(try await app.purge().watermark == 2)
    #expect(try shared.open().members().map(\.id) == ["app"])
  }
}
