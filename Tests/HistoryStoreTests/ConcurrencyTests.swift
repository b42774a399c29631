import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import TestSupport
import Testing

@Suite(.inEveryLayout, .blocksItsThread) struct ConcurrencyTests {
  private func patient() throws -> StoreFixture {
    var fixture = try StoreFixture()
    fixture.configuration.busyTimeout = .seconds(60)
    return fixture
  }

  /// Four writers of one store or of two on the same file, with concurrent readers and purges.
  @Test(arguments: [1, 2])
  func `Concurrent writers, readers and purges lose no transaction`(storeCount: Int) async throws {
    let fixture = try patient()
    let stores = try (0..<storeCount).map { _ in try fixture.open() }
    let registration = try stores[0].join("reader")
    let seen = try await withThrowingTaskGroup(of: [Int64].self) { group in
      for writer in 0..<4 {
        group.addTask { try Self.write(stores[writer % storeCount], writer) }
      }
      group.addTask { try Self.follow(stores[0], registration, through: 160) }
      return try await group.reduce(into: [Int64]()) { $0 += $1 }
    }
    #expect(seen == Array(1...160))
    let titles = try stores[0].titles().map(\.description)
    #expect(Set(titles).count == 160)
    #expect(try stores[storeCount - 1].currentToken().number == 160)
  }

  private static func write(_ store: Store, _ writer: Int) throws -> [Int64] {
    for index in 0..<40 { try store.add("\(writer).\(index)", by: "author \(writer)") }
    return []
  }

  /// Reads new transactions, records and purges, until a transaction was read.
  private static func follow(
    _ store: Store,
    _ registration: Registration,
    through last: Int64
  ) throws -> [Int64] {
    var numbers: [Int64] = []
    var token = registration.cursor
    while token.number < last {
      let page = try store.fetch(HistoryRequest(after: token, transactionCountMax: 7))
      // Without new transactions it must not repeatedly take the write lock from the writers.
      guard !page.transactions.isEmpty else { continue }
      numbers += page.transactions.map(\.number.rawValue)
      token = page.scannedThrough
      try store.record(registration, through: token)
      try store.purge(by: registration)
    }
    return numbers
  }

  @Test func `Four stores may be opened at once on a missing file`() async throws {
    for _ in 0..<5 {
      let fixture = try patient()
      let path = fixture.path
      let configuration = fixture.configuration
      let ids = try await withThrowingTaskGroup(of: StoreID.self) { group in
        for _ in 0..<4 {
          group.addTask {
            let store = try Store(
              path: path,
              model: StoreFixture.model(),
              configuration: configuration
            )
            try store.add("a")
            return store.id
          }
        }
        return try await group.reduce(into: [StoreID]()) { $0.append($1) }
      }
      #expect(Set(ids).count == 1)
      #expect(try fixture.open().numbers() == [1, 2, 3, 4])
    }
  }

  @Test func `A writer that does not wait gets a busy error, and no data changes`()
    throws
  {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    try store.add("a")
    let connection = try fixture.connection()
    try connection.execute("BEGIN IMMEDIATE")
    let error = try #require(throws: HistoryError.self) { try store.add("b") }
    guard case .sqlite(let cause) = error.reason else {
      Issue.record("\(error)")
      return
    }
    #expect(cause.cause == .busy)
    #expect(try store.numbers() == [1])
    try connection.execute("ROLLBACK")
    #expect(try store.add("b") == 2)
  }
}
