import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import TestSupport
import Testing

@Suite(.inEveryLayout) struct PurgeTests {
  static let mirror = "NSCloudKitMirroringDelegate.import"
  let fixture: StoreFixture
  let store: Store

  init() throws {
    var fixture = try StoreFixture()
    fixture.configuration.memberLocks = .none
    self.fixture = fixture
    store = try fixture.open()
  }

  private func write(_ count: Int, by author: String? = "app") throws {
    for _ in 0..<count { try store.add("a", by: author) }
  }

  /// The numbers of all transactions with rows in the file, visible or not.
  private func rows() throws -> [Int64] {
    let connection = try fixture.connection()
    let layout = fixture.layout
    let query = try Statement(
      connection,
      "SELECT \(layout.number) FROM \(layout.transactions) ORDER BY \(layout.number)"
    )
    var numbers: [Int64] = []
    while try query.step() { numbers.append(query.int(0)) }
    return numbers
  }

  @Test func `Without members everything but the newest transaction is purged`() throws {
    try write(5)
    let result = try store.purge()
    #expect(result.purgedThrough == 4)
    #expect(result.watermark == 5)
    #expect(result.transactionCount == 4)
    #expect(!result.isLimited)
    #expect(try rows() == [5])
    #expect(try store.add("b") == 6)
    #expect(try store.purge().transactionCount == 1)
    #expect(try rows() == [6])
    #expect(try store.purge().transactionCount == 0)
    #expect(try rows() == [6])
  }

  @Test func `An empty history can be purged`() throws {
    let result = try store.purge()
    #expect(result.transactionCount == 0)
    #expect(try store.add("a") == 1)
    #expect(try store.purge().transactionCount == 0)
    #expect(try store.numbers() == [1])
  }

  @Test func `A purge stops at the lowest cursor of the members`() throws {
    try write(2)
    let slow = try store.join("slow")
    try write(3)
    let fast = try store.join("fast")
    try write(3)
    try store.record(fast, through: try store.currentToken())
    #expect(try store.purge().purgedThrough == 2)
    #expect(try rows() == [3, 4, 5, 6, 7, 8])
    #expect(try store.numbers(after: slow.cursor) == [3, 4, 5, 6, 7, 8])
    try store.record(slow, through: try store.token(6))
    #expect(try store.purge(by: fast).watermark == 6)
    #expect(try rows() == [7, 8])
    try store.retire(slow)
    #expect(try store.purge().purgedThrough == 7)
  }

  @Test func `A purge before a token keeps the token's transaction`() throws {
    try write(6)
    let third = try store.token(3)
    let result = try store.purge(before: third)
    #expect(result.purgedThrough == 2)
    #expect(!result.isLimited)
    #expect(try rows() == [3, 4, 5, 6])
    #expect(try store.numbers(after: third) == [4, 5, 6])
    #expect(try store.purge(before: third).purgedThrough == 2)
  }

  @Test func `A purge that a member limits reports it`() throws {
    try write(2)
    _ = try store.join("slow")
    try write(4)
    let result = try store.purge(before: store.token(5))
    #expect(result.purgedThrough == 2)
    #expect(result.watermark == 2)
    #expect(result.isLimited)
  }

  @Test func `A purge never restores purged transactions`() throws {
    try write(6)
    let early = try store.token(2)
    try store.purge(before: store.token(5))
    #expect(try store.purge(before: early).purgedThrough == 4)
    #expect(try rows() == [5, 6])
  }

  @Test func `A member that was superseded, retired or lost cannot purge`() throws {
    let old = try store.join("app")
    let new = try store.join("app")
    try write(3)
    try store.record(new, through: try store.currentToken())
    #expect(throws: HistoryError.superseded("app")) { try store.purge(by: old) }
    try fixture.execute("UPDATE history_member SET state = 2")
    #expect(throws: HistoryError.lost("app")) { try store.purge(by: new) }
    try store.retire(new)
    #expect(throws: HistoryError.notAMember("app")) { try store.purge(by: new) }
    #expect(try rows() == [1, 2, 3])
  }

  @Test func `A purge keeps protected authors' transactions with their chunks`() throws {
    try store.add(Self.many, by: Self.mirror)
    try store.add(Self.many, by: "app")
    try store.add(Self.many, by: nil)
    try write(2)
    #expect(try store.purge().transactionCount == 3)
    #expect(try rows() == [1, 5])
    let page = try store.fetch(HistoryRequest(after: nil))
    #expect(page.transactions.map(\.number) == [1, 5])
    #expect(page.transactions.first?.changes.count == Self.many.count)
    let chunks = try fixture.connection().integer(
      "SELECT count(*) FROM \(fixture.layout.changeRows) "
        + "WHERE \(fixture.layout.changeTransaction) NOT IN (1, 5)"
    )
    #expect(chunks == 0)
  }

  /// Enough rows for several chunks of changes.
  static let many = Array(repeating: "a", count: 20_000)

  @Test func `Whole names and prefixes are protected as configured`() throws {
    var fixture = fixture
    fixture.configuration.protectedAuthors = ["sync", "import.*"]
    let store = try fixture.open()
    for author in ["sync", "synced", "import.a", "import", "Import.a", nil] {
      try store.add("a", by: author)
    }
    try store.add("b")
    try store.purge()
    #expect(try store.numbers() == [1, 3, 7])
  }

  @Test func `A protected author that another connection wrote first is protected`() throws {
    var fixture = fixture
    fixture.configuration.protectedAuthors = ["sync"]
    let (first, second) = (try fixture.open(), try fixture.open())
    try first.add("a", by: "sync")
    // The second connection assigns higher string numbers before it has read the lower ones.
    try second.add("b", by: "late")
    try second.add("c", by: "late")
    try second.purge()
    #expect(try second.numbers() == [1, 3])
    let page = try second.fetch(HistoryRequest(after: nil))
    #expect(page.transactions.map(\.author) == ["sync", "late"])
  }

  @Test func `Purged transactions are invisible before deletion, and a later purge deletes them`()
    throws
  {
    try write(6)
    let token = try store.token(3)
    try raise(through: 4)
    #expect(try rows() == [1, 2, 3, 4, 5, 6])
    #expect(try store.numbers() == [5, 6])
    #expect(try store.heldNumbers() == [5, 6])
    #expect(try store.numbers(afterSeconds: 0) == [5, 6])
    #expect(throws: HistoryError.expired(token: token, firstHeld: 5)) {
      try store.numbers(after: token)
    }
    let result = try fixture.open().purge(before: HistoryToken.beginning(of: store.id))
    #expect(result.transactionCount == 4)
    #expect(try rows() == [5, 6])
  }

  /// Leaves the state of a purge interrupted right after its first transaction.
  private func raise(through number: Int64, protecting author: String? = nil) throws {
    let kept = author.map {
      "WHERE string NOT IN (SELECT \(fixture.layout.stringNumber) "
        + "FROM \(fixture.layout.strings) WHERE \(fixture.layout.stringText) = '\($0)')"
    }
    try fixture.execute(
      """
      BEGIN IMMEDIATE;
      UPDATE history_author SET purged = \(number) \(kept ?? "");
      UPDATE history_metadata SET value = \(number) WHERE name = 'purged';
      COMMIT
      """
    )
  }

  @Test func `A purge completed by another process deletes only purged transactions`() throws {
    try write(2)
    try write(2, by: "sync")
    try write(2)
    try raise(through: 5, protecting: "sync")
    try store.purge(before: HistoryToken.beginning(of: store.id))
    #expect(try rows() == [3, 4, 6])
    #expect(try store.numbers() == [3, 4, 6])
  }

  @Test func `A formerly protected author is purged later`() throws {
    var careful = fixture
    careful.configuration.protectedAuthors = ["sync"]
    try write(1)
    try write(2, by: "sync")
    try write(2)
    try careful.open().purge()
    #expect(try rows() == [2, 3, 5])
    try store.purge()
    #expect(try rows() == [5])
    #expect(try store.numbers() == [5])
    let token = HistoryToken.beginning(of: store.id)
    #expect(throws: HistoryError.expired(token: token, firstHeld: 5)) {
      try store.numbers(after: token, .author("sync"))
    }
  }

  /// Copies the first transaction until a number of them exists.
  private func copyFirst(until last: Int) throws {
    try fixture.execute(
      "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < \(last)) "
        + fixture.layout.copyOfFirst
    )
  }

  private func refuseDeleting(_ number: Int) throws {
    try fixture.execute(
      """
      CREATE TRIGGER refuse BEFORE DELETE ON \(fixture.layout.transactions)
      WHEN OLD.\(fixture.layout.number) = \(number)
      BEGIN SELECT raise(ABORT, 'no'); END
      """
    )
  }

  @Test func `Rows are deleted in chunks, each its own transaction`() throws {
    try write(1)
    try copyFirst(until: 2600)
    try refuseDeleting(1500)
    #expect(throws: HistoryError.self) { try store.purge() }
    #expect(try rows() == Array(1001...2600))
    try fixture.execute("DROP TRIGGER refuse")
    #expect(try store.purge().transactionCount == 1599)
    #expect(try rows() == [2600])
  }

  @Test func `Big transactions make smaller chunks`() throws {
    try write(1)
    try copyFirst(until: 5)
    try fixture.execute(fixture.layout.manyRowsForFour)
    try refuseDeleting(3)
    #expect(throws: HistoryError.self) { try store.purge() }
    #expect(try rows() == [3, 4, 5])
    try fixture.execute("DROP TRIGGER refuse")
    try store.purge()
    #expect(try rows() == [5])
    let rest = "SELECT count(*) FROM \(fixture.layout.changeRows)"
    #expect(try fixture.connection().integer(rest) == 0)
  }

  @Test func `A chunk that fails leaves the remaining rows to the next purge`() throws {
    try write(4)
    try fixture.execute(
      "CREATE TRIGGER refuse BEFORE DELETE ON \(fixture.layout.transactions) "
        + "BEGIN SELECT raise(ABORT, 'no'); END"
    )
    #expect(throws: HistoryError.self) { try store.purge() }
    #expect(try rows() == [1, 2, 3, 4])
    #expect(try store.numbers() == [4])
    try fixture.execute("DROP TRIGGER refuse")
    #expect(try store.purge().transactionCount == 3)
    #expect(try rows() == [4])
  }

  @Test func `A purge keeps the data`() throws {
    try write(3)
    let before = try store.snapshot().rows.map(\.values)
    try store.purge()
    #expect(try store.snapshot().rows.map(\.values) == before)
  }
}
