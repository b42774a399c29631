import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import Testing

@testable import HistoryTracking

/// The claims of the kit's tests of its processor, checked on our passes.
@Suite(.inEveryLayout) struct `Conformance: TransactionProcessor` {
  let shared: TrackedStore
  let other: ObjectContext
  let notes = Notes()

  init() throws {
    shared = try TrackedStore()
    other = try shared.writer("other")
  }

  @Test func `fetchTransactionsExcludeCurrentAuthor: the context's own saves are left out`()
    async throws
  {
    let app = try await shared.started("app")
    try app.view.write("mine")
    try other.write("theirs")
    try app.view.write("mine again")
    #expect(try await app.pass().numbers == [2])
  }

  @Test func `cleanTransactionsByTimestampAndAuthors: transactions before the position are purged`()
    async throws
  {
    try other.write("a")
    try shared.writer("third").write("b")
    try other.write("c")
    let store = try shared.open()
    let token = try #require(try store.transaction(3)?.token)
    let result = try store.purge(before: token, filter: PurgeFilter(authors: ["other"]))
    #expect(result.transactionCount == 1)
    #expect(try shared.held() == [2, 3])
  }

  @Test func `processNewTransactionsFullFlow: the reader sees the writer's row`() async throws {
    let reader = try await shared.started("reader")
    try other.write("a")
    let report = try await reader.pass()
    #expect(report.transactionCount == 1 && report.changeCount == 1 && report.pageCount == 1)
    #expect(try reader.view.titles == ["a"])
  }

  @Test func `triggerHooksDuringProcessing: an observer gets entity and operation`()
    async throws
  {
    let app = try await shared.started("app")
    try await app.registerObserver(entity: "Item", operation: .insert) { [notes] in notes.note($0) }
    try other.write("a")
    try await app.pass()
    #expect(notes.all == ["insert Item x1 of #1"])
  }

  @Test func `getLastTransactionTimestamp: the pass records its last position`() async throws {
    let app = try await shared.started("app")
    try other.write("a", "b")
    let report = try await app.pass()
    let member = try #require(try shared.open().members().first)
    #expect(member.id == "app" && member.cursor == 2)
    #expect(report.cursor == (try shared.open().currentToken()))
    #expect(abs(member.seen.timeIntervalSinceNow) < 60)
  }
}
