import HistoryStore
import HistoryTypes
import StoreFixtures
import Testing

/// The members listed in the registry.
@Suite(.inEveryLayout) struct RegistryTests {
  let fixture: StoreFixture
  let store: Store

  init() throws {
    var fixture = try StoreFixture()
    fixture.configuration.processID = "Notes"
    self.fixture = fixture
    store = try fixture.open()
    try store.add("a")
  }

  private func member(_ id: MemberID) throws -> Member {
    try #require(try store.members().first { $0.id == id })
  }

  @Test func `A member is listed with its identity and its cursor`() throws {
    var declared = MemberConfiguration()
    declared.strategy = "whenMerged"
    let registration = try store.join("app", author: "writer", declaring: declared)
    try store.add("b")
    let member = try member("app")
    #expect(member.epoch == registration.epoch && member.registeredAt == 1)
    #expect(member.author == "writer" && member.processID == "Notes")
    #expect(member.configuration.strategy == "whenMerged")
    #expect(member.configuration.protectedAuthors == fixture.configuration.protectedAuthors)
    #expect(member.cursor == 1 && member.lag.transactionCount == 1)
  }

  @Test func `A relaunch updates the member's identity and keeps its cursor`() throws {
    _ = try store.join("mirror", author: "old")
    try store.add("b")
    var other = fixture
    other.configuration.processID = "Mirror"
    var declared = MemberConfiguration()
    declared.ignoredAuthors = ["x"]
    fixture.clock.now += 7
    _ = try other.open().join("mirror", kind: .consumer, author: "new", declaring: declared)
    let member = try member("mirror")
    #expect(member.kind == .consumer && member.author == "new" && member.processID == "Mirror")
    #expect(member.configuration.ignoredAuthors == ["x"])
    #expect(member.cursor == 1 && member.registeredAt == 1 && member.seen == fixture.clock.date)
  }

  @Test func `Lag counts transactions, seconds and bytes behind each member`() throws {
    let early = try store.join("early")
    fixture.clock.now += 10
    try store.add(["b", "c"])
    let late = try store.join("late")
    fixture.clock.now += 5
    try store.add("d")
    fixture.clock.now += 2
    try store.add("e")
    let last = try store.join("last")
    let lags = try store.members().map(\.lag)
    #expect(lags.map(\.transactionCount) == [3, 0, 2])
    #expect(lags.map(\.duration.inSeconds) == [7, 0, 2])
    #expect(lags[1] == .none)
    #expect(lags[0].byteCount > lags[2].byteCount && lags[2].byteCount > 0)
    try store.record(early, through: last.cursor)
    #expect(try member("early").lag == .none)
    try store.purge()
    #expect(try member("late").lag == lags[2])
    _ = late
  }

  @Test func `Bytes behind a member approximate the size of the pages`() throws {
    _ = try store.join("app")
    for index in 0..<300 {
      let count = index == 7 ? 30_000 : index % 5 + 1
      try store.add(Array(repeating: "title \(index)", count: count), by: "author \(index % 3)")
    }
    let deleted = try store.batchDelete(
      "Item",
      where: .like("title", "title 1%"),
      by: BatchAuthor("app")
    )
    #expect(deleted.count > 100)
    let bytes = Double(try member("app").lag.byteCount)
    let pages = Double(try store.historySize().historyBytes)
    #expect(bytes > 0.75 * pages && bytes < 1.1 * pages, "\(bytes) of \(pages)")
  }

  @Test func `A forgotten member retains no history, and its next launch is its first`() throws {
    let epoch = try store.join("gone").epoch
    for title in ["b", "c", "d"] { try store.add(title) }
    #expect(try store.purge().purgedThrough == 1)
    #expect(try store.forget("gone"))
    #expect(try !store.forget("gone"))
    #expect(try store.members().isEmpty)
    #expect(try store.purge().purgedThrough == 3)
    let again = try store.join("gone")
    #expect(again.isNew && again.cursor.number == 4 && again.epoch > epoch)
  }

  @Test func `A forgotten member's registration is refused`() throws {
    var fixture = fixture
    fixture.configuration.memberLocks = .none
    let store = try fixture.open()
    let registration = try store.join("app")
    #expect(try store.forget("app"))
    let expected = HistoryError.notAMember("app")
    #expect(throws: expected) { try store.record(registration, through: registration.cursor) }
    #expect(throws: expected) { try store.fetch(HistoryRequest(after: nil), by: registration) }
  }

  @Test func `An invalid registry is refused by name`() throws {
    _ = try store.join("app")
    for (column, value) in [("state", "9"), ("kind", "9"), ("configuration", "'{'")] {
      try fixture.execute(
        "UPDATE history_member SET state = 0, kind = 0, configuration = NULL; "
          + "UPDATE history_member SET \(column) = \(value)"
      )
      let error = #expect(throws: HistoryError.self) { try store.members() }
      #expect(error?.description.contains("\"app\"") == true, "\(column)")
    }
    try fixture.execute("UPDATE history_member SET configuration = NULL")
    #expect(try member("app").configuration == MemberConfiguration())
  }
}
