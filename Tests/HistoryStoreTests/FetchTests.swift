import HistoryStore
import HistoryTypes
import PropertyTesting
import PropertyTraits
import SQLiteStorage
import StoreFixtures
import Testing

@Suite(.inEveryLayout) struct FetchTests {
  let fixture: StoreFixture
  let store: Store

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
  }

  @Test func `A fetch returns transactions strictly after its token`() throws {
    for title in ["a", "b", "c", "d"] { try store.add(title) }
    #expect(try store.numbers(after: nil) == [1, 2, 3, 4])
    #expect(try store.numbers(after: .beginning(of: store.id)) == [1, 2, 3, 4])
    #expect(try store.numbers(after: store.token(2)) == [3, 4])
    #expect(try store.numbers(after: store.currentToken()) == [])
  }

  @Test func `An empty history has an end position`() throws {
    let page = try store.fetch(HistoryRequest(after: nil))
    #expect(page.transactions.isEmpty)
    #expect(page.scannedThrough == .beginning(of: store.id))
    #expect(!page.hasMore)
    #expect(try store.numbers(afterSeconds: 0) == [])
  }

  @Test func `A page ends at its transaction limit, and the next continues there`() throws {
    for index in 1...7 { try store.add("\(index)", by: index % 2 == 0 ? "even" : "odd") }
    var request = HistoryRequest(after: nil, transactionCountMax: 3)
    var pages: [[Int64]] = []
    var page = try store.fetch(request)
    while true {
      pages.append(page.transactions.map(\.number.rawValue))
      guard page.hasMore else { break }
      request = request.next(after: page)
      page = try store.fetch(request)
    }
    #expect(pages == [[1, 2, 3], [4, 5, 6], [7]])
    #expect(page.scannedThrough == (try store.currentToken()))
  }

  @Test func `A full page at the end of history reports no more pages`() throws {
    for index in 1...3 { try store.add("\(index)") }
    let page = try store.fetch(HistoryRequest(after: nil, transactionCountMax: 3))
    #expect(page.transactions.count == 3)
    #expect(!page.hasMore)
  }

  @Test func `A page that reached the end was scanned up to the head, with or without matches`()
    throws
  {
    try store.add("a", by: "mine")
    for title in ["b", "c"] { try store.add(title, by: "other") }
    let page = try store.fetch(HistoryRequest(after: nil, filter: .author("mine")))
    #expect(page.transactions.map(\.number) == [1])
    #expect(page.scannedThrough == (try store.currentToken()))
    let none = try store.fetch(HistoryRequest(after: nil, filter: .author("nobody")))
    #expect(none.transactions.isEmpty)
    #expect(none.scannedThrough.number == 3)
    #expect(!none.hasMore)
  }

  @Test func `Filtered pages return every match once`() throws {
    for index in 0..<40 { try store.add("\(index)", by: index % 3 == 0 ? "mine" : "other") }
    var request = HistoryRequest(after: nil, filter: .author("mine"), transactionCountMax: 4)
    var found: [Int64] = []
    var page = try store.fetch(request)
    found += page.transactions.map(\.number.rawValue)
    while page.hasMore {
      request = request.next(after: page)
      page = try store.fetch(request)
      found += page.transactions.map(\.number.rawValue)
    }
    #expect(found == Array(stride(from: 1, through: 40, by: 3)))
  }

  @Test func `A page ends with the transaction that reached its limit of changes`() throws {
    for count in [3, 4, 2, 9] { try store.add(Array(repeating: "a", count: count)) }
    var request = HistoryRequest(after: nil)
    request.changeCountMax = 7
    let first = try store.fetch(request)
    #expect(first.transactions.map(\.number) == [1, 2])
    #expect(first.hasMore)
    let second = try store.fetch(request.next(after: first))
    #expect(second.transactions.map(\.changes.count) == [2, 9])
    #expect(!second.hasMore)
  }

  @Test func `Limits below one still make progress`() throws {
    for title in ["a", "b"] { try store.add(title) }
    var request = HistoryRequest(after: nil, transactionCountMax: 0)
    request.changeCountMax = -1
    let page = try store.fetch(request)
    #expect(page.transactions.map(\.number) == [1])
    #expect(page.hasMore)
  }

  @Test func `Transactions of another store are fetched with their author's name`() throws {
    try store.add("a")
    let other = try fixture.open()
    try other.add("b", by: "stranger", context: "far away")
    let transaction = try #require(try store.fetch(HistoryRequest(after: nil)).transactions.last)
    #expect(transaction.author == "stranger")
    #expect(transaction.contextName == "far away")
    try other.add("c", by: "newcomer")
    #expect(try store.numbers(after: nil, .author("newcomer")) == [3])
  }

  @Test func `A fetch leaves no read transaction open, even when its page was full`() throws {
    for title in ["a", "b", "c"] { try store.add(title) }
    _ = try store.fetch(HistoryRequest(after: nil, transactionCountMax: 1))
    _ = try store.snapshot()
    _ = try store.members()
    _ = try store.heldNumbers()
    _ = try store.rows(1, sortedKeys: [1])
    let connection = try fixture.connection()
    #expect(try Self.isLogFree(connection))
  }

  /// Returns whether no connection reads the log: only then can it restart.
  static func isLogFree(_ connection: borrowing Connection) throws -> Bool {
    try connection.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0
  }

  // MARK: Filters

  @Test(
    arguments: [
      (.author("app"), [1, 4]), (.author(nil), [3]), (.author("nobody"), []), (.author(""), [6]),
      (.not(.author("app")), [2, 3, 5, 6]), (.not(.author(nil)), [1, 2, 4, 5, 6]),
      (.not(.author("nobody")), [1, 2, 3, 4, 5, 6]),
      (.contextName("view"), [1, 2]), (.contextName(nil), [3, 4, 5, 6]),
      (.all([.author("app"), .contextName("view")]), [1]),
      (.any([.author(nil), .contextName("view")]), [1, 2, 3]),
      (.any([.author("app"), .all([.author("widget"), .not(.contextName(nil))])]), [1, 2, 4]),
      (.not(.any([.author("app"), .author("widget")])), [3, 5, 6]),
      (.not(.all([.author("app"), .contextName("view")])), [2, 3, 4, 5, 6]),
      (.all([]), [1, 2, 3, 4, 5, 6]), (.any([]), []), (.not(.all([])), []),
      (.author("x' OR 1=1 --"), [5]), (.not(.not(.author("app"))), [1, 4]),
    ] as [(HistoryFilter, [Int64])]
  )
  func `A filter matches the transactions that it names, nil authors included`(
    filter: HistoryFilter,
    numbers: [Int64]
  ) throws {
    let written: [(String?, String?)] = [
      ("app", "view"), ("widget", "view"), (nil, nil), ("app", nil), ("x' OR 1=1 --", nil),
      ("", nil),
    ]
    for (author, context) in written { try store.add("a", by: author, context: context) }
    #expect(try store.numbers(after: nil, filter) == numbers)
    #expect(try fixture.open().numbers(after: nil, filter) == numbers)
  }

  // MARK: Dates

  @Test(.property(cases: 2, seed: 3))
  func `With monotone timestamps a date finds the same as a scan`() async throws {
    let writes = Generator<Double>.element(of: [0, 0, 0.5, 1, 3])
      .paired(with: .bools(probability: 0.25))
    var purgedCount = 0
    try await property(
      writes.array(count: 1...40, length: .mostlyLongest, element: "transaction")
    ) { writes in
      let test = try Self()
      let store = test.store
      for (pause, isImport) in writes {
        test.fixture.clock.now += pause
        try store.add("a", by: isImport ? "NSCloudKitMirroringDelegate.import" : "app")
      }
      let all = try store.fetch(HistoryRequest(after: nil)).transactions.map {
        ($0.number.rawValue, $0.record.timestamp)
      }
      try store.purge(before: store.token(Int64(writes.count / 2 + 1)))
      let held = Set(try store.heldNumbers())
      purgedCount += all.count - held.count
      for (_, timestamp) in all {
        for moment in [timestamp, timestamp.nextDown, timestamp.nextUp] {
          let expected = all.filter { $0.1 > moment && held.contains($0.0) }.map(\.0)
          #expect(try store.numbers(afterSeconds: moment) == expected)
        }
      }
      #expect(try store.numbers(afterSeconds: -.infinity) == held.sorted())
      #expect(try store.numbers(afterSeconds: .infinity) == [])
    }
    #expect(purgedCount > 10)
  }

  @Test func `With wall clock timestamps a date scans every transaction`() throws {
    var fixture = try StoreFixture()
    fixture.configuration.timestamps = .wallClock
    let store = try fixture.open()
    for seconds in [10.0, 20, 20, 5, 15, 30] {
      fixture.clock.now = seconds
      try store.add("a")
    }
    #expect(try store.numbers(afterSeconds: 14) == [2, 3, 5, 6])
    #expect(try store.numbers(afterSeconds: 20) == [6])
    #expect(try store.numbers(afterSeconds: 19.999) == [2, 3, 6])
    #expect(try store.numbers(afterSeconds: 30) == [])
    let timestamps = try store.fetch(HistoryRequest(after: nil)).transactions.map(
      \.record.timestamp
    )
    #expect(timestamps == [10, 20, 20, 5, 15, 30])
  }

  @Test func `The pages of a date request continue comparing timestamps`() throws {
    var fixture = try StoreFixture()
    fixture.configuration.timestamps = .wallClock
    let store = try fixture.open()
    for seconds in [20.0, 5, 21, 6, 22] {
      fixture.clock.now = seconds
      try store.add("a")
    }
    let date = Date(timeIntervalSinceReferenceDate: 10)
    var request = HistoryRequest(after: date, transactionCountMax: 1)
    var page = try store.fetch(request)
    var found = page.transactions.map(\.number)
    while page.hasMore {
      request = request.next(after: page)
      page = try store.fetch(request)
      found += page.transactions.map(\.number)
    }
    #expect(found == [1, 3, 5])
  }
}
