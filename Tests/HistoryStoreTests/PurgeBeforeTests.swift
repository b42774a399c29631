import HistoryStore
import HistoryTypes
import PropertyTesting
import PropertyTraits
import SQLiteStorage
import StoreFixtures
import TestSupport
import Testing

/// Purges before a date, a token or a transaction, for all authors or some.
@Suite(.inEveryLayout) struct PurgeBeforeTests {
  let fixture: StoreFixture
  let store: Store

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
  }

  private func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

  private func write(_ authors: [String?], context: String? = nil) throws {
    for author in authors {
      fixture.clock.now += 1
      try store.add("a", by: author, context: context)
    }
  }

  @Test func `A purge before a date keeps transactions at that date`() throws {
    try write(["app", "app", "app", "app"])
    #expect(try store.purge(before: date(1000)).transactionCount == 0)
    let result = try store.purge(before: date(1003))
    #expect(result.transactionCount == 2 && result.purgedThrough == 2 && !result.isLimited)
    #expect(try store.heldNumbers() == [3, 4])
    #expect(try store.purge(before: date(1003).addingTimeInterval(1e-6)).transactionCount == 1)
    let all = try store.purge(before: .distantFuture)
    #expect(all.isLimited && all.transactionCount == 0)
    #expect(try store.purge(before: .distantPast).transactionCount == 0)
    #expect(try store.heldNumbers() == [4])
  }

  @Test func `A purge before a transaction keeps it`() throws {
    try write(["app", "app", "app"])
    let second = try #require(try store.transaction(2))
    #expect(try store.purge(before: second).transactionCount == 1)
    #expect(try store.heldNumbers() == [2, 3])
  }

  @Test func `Without monotone timestamps a date is compared with each transaction`() throws {
    var fixture = try StoreFixture()
    fixture.configuration.timestamps = .wallClock
    let store = try fixture.open()
    for seconds in [20.0, 5, 21, 6, 20, 22] {
      fixture.clock.now = seconds
      try store.add("a", by: seconds < 10 ? "early" : "app")
    }
    let tokens = try (1...6).map { try store.token($0) }
    let result = try store.purge(before: date(20))
    #expect(result.transactionCount == 2 && !result.isLimited)
    #expect(try store.heldNumbers() == [1, 3, 5, 6])
    // Only requests that could have returned earlier transactions above the token have expired.
    let expired = HistoryError.expired(token: tokens[0], firstHeld: 3)
    #expect(throws: expired) { try store.numbers(after: tokens[0]) }
    #expect(throws: HistoryError.expired(token: tokens[2], firstHeld: 5)) {
      try store.numbers(after: tokens[2])
    }
    #expect(try store.numbers(after: tokens[0], .author("app")) == [3, 5, 6])
    #expect(try store.numbers(after: tokens[3]) == [5, 6])
    #expect(try store.numbers() == [1, 3, 5, 6])
    #expect(try store.purge(before: date(20)).transactionCount == 0)
    let rest = try store.purge(before: .distantFuture)
    #expect(rest.isLimited && rest.transactionCount == 3)
    #expect(try store.heldNumbers() == [6])
  }

  @Test func `A purge by author keeps the others, and expires only tokens of its readers`()
    throws
  {
    try write(["app", "widget", nil, "app", "widget", "app"])
    let token = try store.token(1)
    let before = try store.token(5)
    let result = try store.purge(before: before, filter: PurgeFilter(authors: ["app", nil]))
    #expect(result.transactionCount == 3 && result.purgedThrough == 4)
    #expect(try store.heldNumbers() == [2, 5, 6])
    let expired = HistoryError.expired(token: token, firstHeld: 2)
    #expect(throws: expired) { try store.numbers(after: token) }
    #expect(throws: expired) { try store.numbers(after: token, .author(nil)) }
    #expect(try store.numbers(after: token, .author("widget")) == [2, 5])
    #expect(try store.purge(before: before).transactionCount == 1)
    #expect(try store.heldNumbers() == [5, 6])
    #expect(throws: expired.at(firstHeld: 5)) {
      try store.numbers(after: token, .author("widget"))
    }
  }

  @Test func `A purge by context keeps the author's other contexts`() throws {
    try write(["app", "widget"], context: "import")
    try write(["app", nil, "app"], context: "view")
    try write(["app", "app"], context: "import")
    let tokens = try (1...7).map { try store.token($0) }
    let imports = PurgeFilter(contextNames: ["import"])
    let result = try store.purge(filter: imports)
    #expect(result.transactionCount == 3 && result.isLimited)
    #expect(try store.heldNumbers() == [3, 4, 5, 7])
    #expect(throws: HistoryError.expired(token: tokens[4], firstHeld: 7)) {
      try store.numbers(after: tokens[4], .author("app"))
    }
    #expect(try store.numbers(after: tokens[4], .author("widget")) == [])
    #expect(try store.numbers(after: tokens[5]) == [7])
    let none = PurgeFilter(authors: ["app"], contextNames: [nil, "unknown"])
    #expect(try store.purge(filter: none).transactionCount == 0)
    let views = PurgeFilter(authors: ["app", "widget"], contextNames: ["view", "unknown"])
    #expect(try store.purge(before: tokens[4], filter: views).transactionCount == 1)
    #expect(try store.heldNumbers() == [4, 5, 7])
  }

  @Test func `A filtered purge stops at the lowest cursor and keeps protected authors`() throws {
    let mirror = PurgeTests.mirror
    try write(["app", mirror])
    let member = try store.join("member")
    try write(["app", mirror, "app"])
    for filter in [
      PurgeFilter(authors: ["app", mirror]), PurgeFilter(contextNames: [nil]), PurgeFilter(),
    ] {
      let result = try store.purge(filter: filter)
      #expect(result.watermark == 2 && result.purgedThrough <= 2)
      #expect(try store.heldNumbers() == [2, 3, 4, 5])
    }
    try store.record(member, through: try store.currentToken())
    #expect(try store.purge(filter: PurgeFilter(contextNames: [nil])).transactionCount == 1)
    #expect(try store.heldNumbers() == [2, 4, 5])
    #expect(try store.purge(filter: PurgeFilter(authors: ["nobody"])).transactionCount == 0)
  }

  @Test func `A purge of a big transaction deletes its chunks and keeps its neighbours'`() throws {
    for context in ["a", "b", "a", "b", "a"] {
      try store.add(PurgeTests.many, by: "app", context: context)
    }
    try store.add("last")
    let purge = try store.purge(filter: PurgeFilter(contextNames: ["a"]))
    #expect(purge.transactionCount == 3)
    let connection = try fixture.connection()
    let query = try Statement(
      connection,
      "SELECT DISTINCT \(fixture.layout.changeTransaction) FROM \(fixture.layout.changeRows) ORDER BY 1"
    )
    var numbers: [Int64] = []
    while try query.step() { numbers.append(query.int(0)) }
    // The last one is small: in the packed layout it has no separate rows.
    #expect(numbers == (fixture.layout == .packed ? [2, 4] : [2, 4, 6]))
    #expect(try store.count(HistoryRequest(after: nil, filter: .type(.insert))) == 3)
  }

  @Test(
    .property(cases: 4, seed: 1),
    arguments: [StoreConfiguration.Timestamps.monotone, .wallClock]
  )
  func `Kept transactions and expired tokens equal those of a naive purge`(
    timestamps: StoreConfiguration.Timestamps
  ) async throws {
    try await property { source in
      try expectNaivePurges(RandomHistory(timestamps: timestamps), &source)
    }
  }

  private func expectNaivePurges(
    _ history: consuming RandomHistory,
    _ source: inout ChoiceSource
  ) throws {
    var written: [HistoryTransaction] = []
    var held: Set<Int64> = []
    var purged: Set<String?> = []
    var rounds = Repetition("round", 1...6, length: .mostlyLongest)
    while rounds.next(&source) {
      let last = try history.store.currentToken()
      try history.write(1...10, &source)
      let new = try history.store.fetch(HistoryRequest(after: last)).transactions
      written += new
      held.formUnion(new.map(\.number.rawValue))
      let filter = PurgeFilter(&source)
      let limit = source.element(of: written)
      let isByDate = source.bool()
      let store = history.anyStore(&source)
      if isByDate {
        try store.purge(before: limit.timestamp, filter: filter)
      } else {
        try store.purge(before: limit, filter: filter)
      }
      let gone = written.dropLast().filter { transaction in
        filter.matches(transaction)
          && (isByDate
            ? transaction.timestamp < limit.timestamp : transaction.number < limit.number)
      }
      held.subtract(gone.map(\.number.rawValue))
      #expect(try store.heldNumbers() == held.sorted(), "\(filter)")
      purged.formUnion(filter.authors ?? Set(RandomHistory.authors))
      try expectExpiry(history.stores[1], written, held, purged)
    }
  }

  /// Checks that requests expire if they could have returned a purged transaction above the token,
  /// and never for authors that were not purged.
  private func expectExpiry(
    _ store: Store,
    _ written: [HistoryTransaction],
    _ held: Set<Int64>,
    _ purged: Set<String?>
  ) throws {
    for transaction in written {
      let after = written.filter { $0.number > transaction.number }
      for author in RandomHistory.authors {
        let wanted = after.filter { $0.author == author }.map(\.number)
        let request = HistoryRequest(after: transaction, filter: .author(author))
        do throws(HistoryError) {
          let found = try store.fetch(request).transactions.map(\.number)
          #expect(found == wanted)
        } catch {
          let first = after.map(\.number.rawValue).first { held.contains($0) }
          #expect(error == .expired(token: transaction.token, firstHeld: first))
          #expect(purged.contains(author) && author != PurgeTests.mirror)
        }
      }
    }
  }
}

extension PurgeFilter {
  /// A random filter.
  fileprivate init(_ source: inout ChoiceSource) {
    self.init()
    if source.bool() { authors = Set(RandomHistory.authors.filter { _ in source.bool() }) }
    if source.bool() { contextNames = Set(RandomHistory.contexts.filter { _ in source.bool() }) }
  }

  /// Returns whether a transaction may be purged.
  func matches(_ transaction: HistoryTransaction) -> Bool {
    authors?.contains(transaction.author) ?? true
      && contextNames?.contains(transaction.contextName) ?? true
      && transaction.author?.hasPrefix("NSCloudKitMirroringDelegate.") != true
  }
}

extension HistoryError {
  /// The same error with another first kept number.
  fileprivate func at(firstHeld: Int64) -> HistoryError {
    if case .expired(let token, _) = reason {
      .expired(token: token, firstHeld: firstHeld)
    } else {
      self
    }
  }
}
