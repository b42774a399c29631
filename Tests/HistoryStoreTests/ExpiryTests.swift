import HistoryStore
import HistoryTypes
import StoreFixtures
import Testing

/// A token is refused if a transaction after it was purged that the request could have returned.
@Suite(.inEveryLayout) struct ExpiryTests {
  static let mirror = "NSCloudKitMirroringDelegate.import"
  let fixture: StoreFixture
  let store: Store
  let tokens: [HistoryToken]

  /// Six transactions: the first four are purged, except the mirror's second.
  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
    let authors = ["app", Self.mirror, nil, "widget", "app", "widget"]
    for author in authors { try store.add("a", by: author) }
    let page = try store.fetch(HistoryRequest(after: nil))
    tokens = [.beginning(of: store.id)] + page.transactions.map(\.token)
    try store.purge(before: tokens[5])
    try store.add("b", by: "late")
  }

  private func expired(_ index: Int, firstHeld: Int64?) -> HistoryError {
    .expired(token: tokens[index], firstHeld: firstHeld)
  }

  @Test
  func `A token below the purged position is expired, and the error has the first kept number`()
    throws
  {
    #expect(try store.heldNumbers() == [2, 5, 6, 7])
    #expect(throws: expired(0, firstHeld: 2)) { try store.numbers(after: tokens[0]) }
    #expect(throws: expired(1, firstHeld: 2)) { try store.numbers(after: tokens[1]) }
    #expect(throws: expired(2, firstHeld: 5)) { try store.numbers(after: tokens[2]) }
    #expect(throws: expired(3, firstHeld: 5)) { try store.numbers(after: tokens[3]) }
    #expect(try store.numbers(after: tokens[4]) == [5, 6, 7])
    #expect(try store.numbers(after: tokens[5]) == [6, 7])
  }

  @Test func `Without a token, and after a date, the kept transactions are returned`() throws {
    #expect(try store.numbers() == [2, 5, 6, 7])
    #expect(try store.numbers(afterSeconds: 0) == [2, 5, 6, 7])
  }

  @Test func `A token expires only for requests that could return a purged author`() throws {
    let token = tokens[1]
    for filter: HistoryFilter in [
      .author("app"), .author(nil), .author("widget"), .not(.author("app")), .contextName(nil),
      .any([.author(Self.mirror), .author("app")]), .all([]),
      .all([.not(.author("app")), .not(.author("widget"))]), .not(.contextName("x")),
    ] {
      #expect(throws: expired(1, firstHeld: 2), "\(filter)") {
        try store.numbers(after: token, filter)
      }
    }
    #expect(try store.numbers(after: token, .author(Self.mirror)) == [2])
    #expect(try store.numbers(after: token, .author("late")) == [7])
    #expect(try store.numbers(after: token, .author("nobody")) == [])
    let others = HistoryFilter.not(.any([.author("app"), .author("widget"), .author(nil)]))
    #expect(try store.numbers(after: token, others) == [2, 7])
    #expect(try store.numbers(after: token, .any([])) == [])
    #expect(try fixture.open().numbers(after: token, others) == [2, 7])
  }

  @Test func `The error of an expired token says if history is empty`() throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    for _ in 0..<3 { try store.add("a") }
    let tokens = try store.fetch(HistoryRequest(after: nil)).transactions.map(\.token)
    try store.purge()
    #expect(throws: HistoryError.expired(token: tokens[0], firstHeld: 3)) {
      try store.numbers(after: tokens[0])
    }
    try fixture.execute(
      "DELETE FROM \(fixture.layout.transactions) WHERE \(fixture.layout.number) < 3"
    )
    try fixture.execute("UPDATE history_author SET purged = 3")
    #expect(throws: HistoryError.expired(token: tokens[0], firstHeld: nil)) {
      try store.numbers(after: tokens[0])
    }
  }

  @Test func `A purged transaction that waits for deletion is not the first kept one`() throws {
    try fixture.execute("UPDATE history_author SET purged = 5 WHERE purged > 0")
    #expect(throws: expired(3, firstHeld: 6)) { try store.numbers(after: tokens[3]) }
  }

  @Test func `A token of another store is refused`() throws {
    let other = try StoreFixture().open()
    try other.add("a")
    let token = try other.currentToken()
    let expected = HistoryError.otherStore(token: token, store: store.id)
    #expect(throws: expected) { try store.fetch(HistoryRequest(after: token)) }
    #expect(throws: expected) { try store.purge(before: token) }
    let registration = try store.join("app")
    #expect(throws: expected) { try store.record(registration, through: token) }
  }

  @Test func `A token above the head or with another mark is rewound`() throws {
    let head = try store.currentToken()
    let above = HistoryToken(store: store.id, number: head.number + 1, mark: head.mark)
    let other = HistoryToken(store: store.id, number: head.number, mark: head.mark ^ 1)
    let registration = try store.join("app")
    for token in [above, other] {
      let expected = HistoryError.rewound(token: token, head: head.number)
      #expect(throws: expected) { try store.fetch(HistoryRequest(after: token)) }
      #expect(throws: expected) { try store.record(registration, through: token) }
      #expect(throws: expected) { try store.purge(before: token) }
    }
    #expect(try store.members().map(\.cursor.rawValue) == [head.number])
    #expect(try store.numbers(after: head) == [])
  }

  @Test func `An invented token does not trap`() throws {
    for number in [Int64.min, -1, 0] {
      let token = HistoryToken(store: store.id, number: number, mark: 5)
      #expect(throws: HistoryError.expired(token: token, firstHeld: 2)) {
        try store.fetch(HistoryRequest(after: token))
      }
      #expect(try store.purge(before: token).transactionCount == 0)
    }
    let token = HistoryToken(store: store.id, number: .max, mark: 5)
    #expect(throws: HistoryError.rewound(token: token, head: 7)) {
      try store.fetch(HistoryRequest(after: token))
    }
  }
}
