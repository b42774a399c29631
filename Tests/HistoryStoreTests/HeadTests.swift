import HistoryStore
import HistoryTypes
import StoreFixtures
import Testing

/// The cached head of a store between two of its own commits.
@Suite(.inEveryLayout) struct HeadTests {
  let fixture: StoreFixture

  init() throws {
    fixture = try StoreFixture()
  }

  @Test func `Two stores that alternate writes share one sequence of numbers and rising times`()
    throws
  {
    let (one, other) = (try fixture.open(), try fixture.open())
    for turn in 0..<24 {
      let store = turn % 5 < 2 ? one : other
      // The clock does not advance, so that each timestamp is computed from the previous one.
      #expect(try store.add("a") == Int64(turn + 1))
    }
    let page = try one.fetch(HistoryRequest(after: nil))
    let times = page.transactions.map(\.timestamp)
    #expect(times == times.sorted() && Set(times).count == 24)
    let marks = page.transactions.map(\.token)
    #expect(try other.fetch(HistoryRequest(after: nil)).transactions.map(\.token) == marks)
  }

  @Test func `State that other writes changed is read again`() throws {
    let store = try fixture.open()
    for _ in 0..<3 { try store.add("a") }
    let registration = try store.join("reader")
    #expect(try store.add("b") == 4)
    try store.record(registration, through: try store.currentToken())
    try store.purge(by: registration)
    #expect(try store.add("c") == 5)
  }

  @Test func `A write that fails or changes no row uses no number`() throws {
    struct Unreadable: Error {}
    let (store, other) = (try fixture.open(), try fixture.open())
    try store.add("a")
    for turn in 0..<3 {
      #expect(throws: HistoryError.self) {
        try store.batchInsert(into: "Item", by: BatchAuthor("new \(turn)")) { row in
          row.set("lost", at: 0)
          throw Unreadable()
        }
      }
      #expect(try store.add([]).transaction == nil)
      #expect(try store.add("b", by: "new \(turn)") == Int64(turn * 2 + 2))
      #expect(try other.add("c", by: "new \(turn)") == Int64(turn * 2 + 3))
    }
    let authors = try other.fetch(HistoryRequest(after: nil)).transactions.map(\.author)
    #expect(authors == ["app", "new 0", "new 0", "new 1", "new 1", "new 2", "new 2"])
  }

  @Test func `Numbers continue above those that a raw deletion removed`() throws {
    var fixture = fixture
    fixture.configuration.timestamps = .wallClock
    let (store, other) = (try fixture.open(), try fixture.open())
    for _ in 0..<4 { try store.add("a") }
    try other.deleteHistory(before: .distantFuture, authors: nil)
    #expect(try store.add("b") == 5)
    try store.deleteHistory(before: .distantFuture, authors: nil)
    #expect(try store.add("c") == 6)
    #expect(try other.add("d") == 7)
  }
}
