import HistoryStore
import HistoryTypes
import StoreFixtures
import Testing

/// Readers without a view that keep a token: mirrors, search indexes, sync processes.
@Suite(.inEveryLayout) struct ConsumerTests {
  let fixture: StoreFixture
  let store: Store

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
  }

  private struct Unready: Error {}

  @Test func `A consumer reads each transaction once, page by page, across restarts`() throws {
    var taken: [[Int64]] = []
    func live() throws {
      let index = try fixture.open().join("index", kind: .consumer)
      let position = try store.consume(index, pageTransactionCountMax: 2) { page in
        taken.append(page.transactions.map(\.number.rawValue))
      }
      #expect(position == (try store.currentToken()))
    }
    try live()
    #expect(taken.isEmpty)
    for title in ["a", "b", "c"] { try store.add(title) }
    try live()
    try live()
    try store.add("d")
    try live()
    #expect(taken == [[1, 2], [3], [4]])
  }

  @Test func `An unconfirmed page is delivered again`() throws {
    let index = try store.join("index", kind: .consumer)
    for title in ["a", "b", "c"] { try store.add(title) }
    var taken: [Int64] = []
    #expect(throws: HistoryError.stopped("Unready()")) {
      try store.consume(index, pageTransactionCountMax: 1) { page in
        guard taken.count < 2 else { throw Unready() }
        taken += page.transactions.map(\.number.rawValue)
      }
    }
    #expect(taken == [1, 2])
    #expect(try store.recordedCursor(of: index).number == 2)
    try store.consume(index) { taken += $0.transactions.map(\.number.rawValue) }
    #expect(taken == [1, 2, 3])
  }

  @Test func `Transactions that a filter excludes are recorded as scanned`() throws {
    let index = try store.join("index", kind: .consumer)
    for author in ["app", "widget", "app"] { try store.add("a", by: author) }
    var pages = 0
    let position = try store.consume(index, filter: .author("share")) { _ in pages += 1 }
    #expect(pages == 0 && position.number == 3)
    #expect(try store.recordedCursor(of: index) == position)
  }

  @Test func `A consumer that was superseded reads no page`() throws {
    var fixture = fixture
    fixture.configuration.memberLocks = .none
    let store = try fixture.open()
    let old = try store.join("index", kind: .consumer)
    let new = try store.join("index", kind: .consumer)
    try store.add("a")
    #expect(throws: HistoryError.superseded("index")) {
      try store.consume(old) { _ in Issue.record("It was handed a page.") }
    }
    #expect(throws: HistoryError.superseded("index")) {
      try store.fetch(HistoryRequest(after: nil), by: old)
    }
    #expect(try store.fetch(HistoryRequest(after: nil), by: new).transactions.count == 1)
  }

  /// PersistentHistoryTrackingKit issue 7: with `byNotification(1)` and CloudKit, the kit purged
  /// history that the mirror had not exported; the mirror found its token expired (error 134301)
  /// and reset everything.
  @Test func `Purging after every pass never expires a registered mirror`() throws {
    let app = try store.join("app", author: "app")
    let mirror = try store.join("mirror", kind: .consumer)
    let token = mirror.cursor
    for round in 1...4 {
      try store.add("a")
      try store.add("b", by: PurgeTests.mirror)
      try store.purge(by: app, recording: try store.currentToken())
      #expect(try store.numbers(after: token).count == 2 * round)
    }
    var exported: [Int64] = []
    try store.consume(mirror) { exported += $0.transactions.map(\.number.rawValue) }
    #expect(exported == Array(1...8))
    try store.purge(by: app)
    #expect(try store.heldNumbers() == [2, 4, 6, 8])
  }

  @Test func `The same purges expire a mirror that has not registered`() throws {
    let app = try store.join("app", author: "app")
    try store.add("a")
    let token = try store.currentToken()
    for _ in 0..<2 { try store.add("a") }
    try store.purge(by: app, recording: try store.currentToken())
    #expect(throws: HistoryError.expired(token: token, firstHeld: 3)) {
      try store.numbers(after: token)
    }
  }
}
