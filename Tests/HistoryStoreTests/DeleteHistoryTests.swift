import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import Testing

/// Deletions by the published protocols, regardless of what members have merged.
@Suite(.inEveryLayout) struct DeleteHistoryTests {
  let fixture: StoreFixture
  let store: Store

  init() throws {
    var fixture = try StoreFixture()
    fixture.configuration.timestamps = .wallClock
    self.fixture = fixture
    store = try fixture.open()
    for (index, author) in ["app", "widget", nil, "app"].enumerated() {
      fixture.clock.now = Double(10 * (index + 1))
      try store.add("a", by: author)
    }
  }

  private func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

  @Test func `A deletion before a date deletes strictly earlier transactions`() throws {
    try store.deleteHistory(before: date(30), authors: nil)
    #expect(try store.heldNumbers() == [3, 4])
  }

  @Test func `A deletion by author deletes only the named authors' history, a nil author included`()
    throws
  {
    try store.deleteHistory(before: date(100), authors: ["app", nil, "nobody"])
    #expect(try store.heldNumbers() == [2])
    try store.deleteHistory(before: date(100), authors: [])
    #expect(try store.heldNumbers() == [2])
  }

  @Test func `A token below deleted history is expired`() throws {
    let tokens = try store.fetch(HistoryRequest(after: nil)).transactions.map(\.token)
    try store.deleteHistory(before: date(30), authors: ["app", "widget"])
    #expect(throws: HistoryError.self) { try store.numbers(after: tokens[0]) }
    #expect(try store.numbers(after: tokens[1]) == [3, 4])
    #expect(try store.fetch(HistoryRequest(after: date(10))).transactions.map(\.number) == [3, 4])
  }

  @Test func `Numbers continue after a deletion, even if history is empty`() throws {
    try store.add(PurgeTests.many)
    let token = try store.currentToken()
    try store.deleteHistory(before: date(100), authors: nil)
    #expect(try store.heldNumbers() == [])
    #expect(
      try fixture.connection().integer("SELECT count(*) FROM \(fixture.layout.changeRows)") == 0
    )
    #expect(try store.numbers(after: token) == [])
    #expect(try store.add("b") == 6)
    #expect(try store.numbers(after: token) == [6])
  }
}
