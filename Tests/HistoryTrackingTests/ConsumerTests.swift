import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import Testing

@testable import HistoryTracking

@Suite(.inEveryLayout) struct `A consumer` {
  let shared: TrackedStore
  let other: ObjectContext

  init() throws {
    shared = try TrackedStore()
    other = try shared.writer("other")
  }

  private func consumer(
    filter: HistoryFilter? = nil,
    page: Int = 1000
  ) throws -> HistoryConsumer {
    try HistoryConsumer(
      "index",
      store: try shared.open(),
      filter: filter,
      pageTransactionCountMax: page
    )
  }

  @Test func `A consumer gets page after page and keeps its confirmed position`() async throws {
    var index: HistoryConsumer? = try consumer(page: 2)
    #expect(await index?.isNew == true)
    try other.write("a", "b", "c")
    let first = try #require(try await index?.next())
    #expect(first.transactions.map(\.number) == [1, 2])
    let second = try #require(try await index?.next())
    #expect(second.transactions.map(\.number) == [3])
    #expect(try await index?.next() == nil)
    #expect(try shared.cursor("index") == 0)
    try await index?.confirm(first)
    #expect(try shared.cursor("index") == 2)
    index = nil
    // Unconfirmed pages are delivered again after a restart.
    let again = try consumer()
    #expect(await !again.isNew)
    #expect(try await again.next()?.transactions.map(\.number) == [3])
    await again.startOver()
    #expect(try await again.next()?.transactions.map(\.number) == [3])
  }

  @Test func `A consumer retains history until it confirms`() async throws {
    let index = try consumer()
    let app = try await shared.started("app") {
      $0.retention = RetentionLimits(transactionCount: 0)
    }
    try other.write("a", "b", "c")
    try await app.pass()
    #expect(try shared.held() == [1, 2, 3])
    let page = try #require(try await index.next())
    try await index.confirm(page)
    try await app.pass()
    #expect(try shared.held() == [3])
    #expect(try await index.next() == nil)
  }

  @Test func `Pages without matching transactions are confirmed automatically`() async throws {
    let index = try consumer(filter: .author("wanted"), page: 2)
    try other.write("a", "b", "c", "d", "e")
    #expect(try await index.next() == nil)
    #expect(try shared.cursor("index") == 5)
    try shared.writer("wanted").write("f")
    try other.write("g")
    let page = try #require(try await index.next())
    #expect(page.transactions.map(\.number) == [6])
    #expect(try await index.next() == nil)
    #expect(try shared.cursor("index") == 5, "not behind what it was handed")
    try await index.confirm(page)
    #expect(try shared.cursor("index") == 7)
  }

  @Test func `A later process supersedes the consumer, and the earlier one gets an error`()
    async throws
  {
    let store = try shared.open { $0.memberLocks = .none }
    let first = try HistoryConsumer("index", store: store)
    let second = try HistoryConsumer("index", store: store)
    try other.write("a")
    await #expect(throws: HistoryError.superseded("index")) { try await first.next() }
    let page = try #require(try await second.next())
    await #expect(throws: HistoryError.superseded("index")) { try await first.confirm(page) }
    try await second.confirm(page)
  }

  @Test func `A consumer's resync continues from the head, and retiring ends it`() async throws {
    let index = try consumer()
    try other.write("a", "b")
    #expect(try await index.resync().number == 2)
    #expect(try await index.next() == nil)
    try await index.retire()
    #expect(try shared.cursor("index") == nil)
    await #expect(throws: HistoryError.notAMember("index")) { try await index.next() }
  }
}
