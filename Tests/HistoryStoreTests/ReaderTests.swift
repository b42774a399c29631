import Foundation
import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import Testing

/// Histories and transactions of any size are read in pages of limited size.
@Suite(.inEveryLayout) struct ReaderTests {
  let fixture: StoreFixture
  let store: Store

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
  }

  /// Inserts many objects in one transaction, every third of another entity.
  private func insert(_ count: Int, by author: String? = "app") throws {
    var left = count
    _ = try store.batchInsert(into: "Item", by: BatchAuthor(author)) { row in
      left -= 1
      row.set("title \(left)", at: 0)
      return left >= 0
    }
  }

  private func pages(_ request: HistoryRequest) throws -> [HistoryPage] {
    var reader = try store.reader(request)
    var pages: [HistoryPage] = []
    while let page = try reader.next() { pages.append(page) }
    #expect(try reader.next() == nil)
    #expect(reader.scannedThrough == (try store.currentToken()))
    return pages
  }

  @Test func `A big transaction is read completely, in parts`() throws {
    try store.add("first")
    try insert(60_000)
    _ = try store.batchDelete("Item", by: BatchAuthor("app"))
    try store.add("last")
    var all = HistoryRequest(after: nil)
    all.changeCountMax = .max
    let whole = try store.fetch(all)
    for contents in [HistoryContents.transactionsWithChanges, .changesOnly] {
      var request = HistoryRequest(after: nil)
      request.contents = contents
      request.changeCountMax = 20_000
      let pages = try pages(request)
      #expect(pages.count > 6)
      // A page ends with the chunk of 32 KiB that fills it.
      #expect(pages.allSatisfy { $0.changes.count < 16 * 1024 + 16 * 1024 })
      #expect(pages.flatMap { $0.changes.map(\.objectID) } == whole.changes.map(\.objectID))
      #expect(pages.flatMap { $0.changes.map(\.id) } == whole.changes.map(\.id))
      #expect(pages.last?.changes.last?.type == .insert)
      let counts = Set(
        pages.flatMap { $0.transactions.map { [Int($0.number.rawValue), $0.changeCount] } }
      )
      #expect(counts == [[1, 1], [2, 60_000], [3, 60_001], [4, 1]])
    }
  }

  @Test func `Parts are filtered like whole transactions`() throws {
    try insert(20_000)
    _ = try store.batchDelete("Item", by: BatchAuthor("app"))
    try insert(3)
    let last = ObjectID(entity: 1, key: try store.rows(1, where: nil).keys[0] - 1)
    let filter = HistoryFilter.object(last)
    var request = HistoryRequest(after: nil, filter: filter)
    request.changeCountMax = 1000
    let whole = try pages(request)
    #expect(Set(whole.flatMap { $0.transactions.map(\.number) }) == [1, 2])
    #expect(whole.reduce(0) { $0 + $1.changes.count } == 40_000)
    request.contents = .changesOnly
    let few = try pages(request)
    #expect(few.flatMap { $0.changes.map(\.type) } == [.insert, .delete])
    #expect(few.flatMap { $0.changes.map(\.id.place) } == [19_999, 19_999])
    request.contents = .transactionsOnly
    #expect(try pages(request).flatMap { $0.transactions.map(\.number) } == [1, 2])
    #expect(try store.count(request) == 2)
  }

  @Test func `A reader's page ends after a number of scanned transactions without a match`() throws
  {
    for _ in 0..<6 { try insert(100) }
    var request = HistoryRequest(after: nil, filter: .type(.delete))
    var limits = StreamingLimits()
    limits.skippedCountMax = 200
    request.streaming = limits
    for contents in HistoryContents.allCases {
      request.contents = contents
      let page = try store.fetch(request)
      #expect(page.transactions.isEmpty && page.hasMore)
      #expect(page.scannedThrough.number == 2)
      let next = try store.fetch(request.next(after: page))
      #expect(next.scannedThrough.number == 4)
    }
  }

  @Test func `A reader keeps no read transaction open between pages and sees new commits`() throws {
    for title in ["a", "b", "c"] { try store.add(title) }
    var reader = try store.reader(HistoryRequest(after: nil, transactionCountMax: 2))
    #expect(try reader.next()?.transactions.map(\.number) == [1, 2])
    let connection = try fixture.connection()
    #expect(try FetchTests.isLogFree(connection))
    try store.add("d")
    #expect(try reader.next()?.transactions.map(\.number) == [3, 4])
    #expect(try reader.next() == nil)
  }

  @Test func `A purge while the first transaction is read in parts is reported`() throws {
    try insert(20_000)
    try insert(1, by: "widget")
    try insert(1)
    var request = HistoryRequest(after: nil)
    request.changeCountMax = 1000
    var reader = try store.reader(request)
    #expect(try reader.next()?.transactions.map(\.number) == [1])
    #expect(try store.purge(filter: PurgeFilter(authors: ["widget"])).transactionCount == 1)
    let error = try #require(throws: HistoryError.self) {
      while try reader.next() != nil {}
    }
    #expect(error.code == .expired)
    // What was purged before the first page is no gap, whatever the position.
    for position in [HistoryRequest.Position.token(nil), .date(.distantPast)] {
      request.position = position
      var reader = try store.reader(request)
      var numbers: [TransactionNumber] = []
      while let page = try reader.next() { numbers += page.transactions.map(\.number) }
      #expect(Set(numbers) == [1, 3])
    }
  }

  @Test func `A purge between two pages is reported`() throws {
    for title in ["a", "b", "c", "d"] { try store.add(title) }
    var reader = try store.reader(HistoryRequest(after: nil, transactionCountMax: 1))
    let first = try #require(try reader.next())
    try store.purge(before: store.token(3))
    let expected = HistoryError.expired(token: first.scannedThrough, firstHeld: 3)
    for _ in 0..<2 {
      #expect(throws: expected) { try reader.next() }
    }
  }

  @Test func `A purge of a big transaction between two of its parts is reported`() throws {
    try insert(20_000)
    try store.add("last")
    var request = HistoryRequest(after: nil)
    request.changeCountMax = 1000
    var reader = try store.reader(request)
    let part = try #require(try reader.next()?.transactions.first)
    #expect(part.changes.count < part.changeCount)
    try store.purge()
    #expect(throws: HistoryError.expired(token: part.token, firstHeld: 2)) { try reader.next() }
  }

  @Test func `A big transaction without one of its chunks is damaged for every reader`() throws {
    // The number of rows of a transaction is stored nowhere.
    guard fixture.layout == .packed else { return }
    try insert(20_000)
    try fixture.execute("DELETE FROM history_chunk WHERE id = (1 << 20) + 1")
    for filter: HistoryFilter? in [nil, .entity("Item"), .type(.delete)] {
      var request = HistoryRequest(after: nil, filter: filter)
      for contents in HistoryContents.allCases {
        request.contents = contents
        // The changes are not needed, or the first of them is enough.
        if contents == .transactionsOnly && filter != .type(.delete) { continue }
        #expect(throws: HistoryError.damagedTransaction(1), "\(contents)") {
          try store.fetch(request)
        }
        #expect(throws: HistoryError.damagedTransaction(1)) {
          var reader = try store.reader(request)
          while try reader.next() != nil {}
        }
      }
    }
  }

  @Test func `Pages after a request without a token do not expire by earlier purges`() throws {
    let mirror = "NSCloudKitMirroringDelegate.import"
    for author in [mirror, "app", mirror, "app", "app"] { try store.add("a", by: author) }
    try store.purge()
    let request = HistoryRequest(after: nil, transactionCountMax: 1)
    let first = try store.fetch(request)
    #expect(first.transactions.map(\.number) == [1])
    #expect(throws: HistoryError.expired(token: first.scannedThrough, firstHeld: 3)) {
      try store.fetch(HistoryRequest(after: first.scannedThrough))
    }
    #expect(try pages(request).flatMap { $0.transactions.map(\.number) } == [1, 3, 5])
    // Transactions purged after the first page are missed.
    try store.add("b")
    try store.add("c")
    try store.purge()
    #expect(throws: HistoryError.expired(token: first.scannedThrough, firstHeld: 3)) {
      try store.fetch(request.next(after: first))
    }
  }

  @Test func `Pages can be read asynchronously`() async throws {
    for title in ["a", "b", "c"] { try store.add(title) }
    let pages = store.pages(HistoryRequest(after: nil, transactionCountMax: 2))
    for _ in 0..<2 {
      var numbers: [[Int64]] = []
      for try await page in pages { numbers.append(page.transactions.map(\.number.rawValue)) }
      #expect(numbers == [[1, 2], [3]])
    }
    try store.purge()
    let expired = store.pages(HistoryRequest(after: .beginning(of: store.id)))
    await #expect(throws: HistoryError.self) { for try await _ in expired {} }
  }

  @Test func `A reader detects that another store replaced its file`() throws {
    try store.add("a")
    let other = try StoreFixture()
    _ = try other.open()
    try FileManager.default.removeItem(atPath: fixture.path)
    try FileManager.default.copyItem(atPath: other.path, toPath: fixture.path)
    #expect(throws: HistoryError.replaced(path: fixture.path)) {
      try store.reader(HistoryRequest(after: nil))
    }
  }
}
