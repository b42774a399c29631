import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import Testing

@Suite(.inEveryLayout) struct `A store without history` {
  let fixture: StoreFixture
  let off: StoreConfiguration

  init() throws {
    fixture = try StoreFixture()
    var configuration = fixture.configuration
    configuration.tracksHistory = false
    off = configuration
  }

  private func open(_ configuration: StoreConfiguration) throws -> Store {
    try Store(path: fixture.path, model: StoreFixture.model(), configuration: configuration)
  }

  @Test func `Writes change the data and leave no history`() throws {
    let store = try open(off)
    let result = try store.add(["a", "b", "c"])
    #expect(result.transaction == nil && result.count == 3)
    #expect(result.objectIDs.map(\.key) == [1, 2, 3])
    #expect(try store.batchUpdate("Item", set: ["count": 1], by: BatchAuthor("app")).count == 3)
    let deleted = ObjectPredicate.compare("title", .equal, "c")
    #expect(try store.batchDelete("Item", where: deleted, by: BatchAuthor("app")).count == 1)
    #expect(try store.titles() == ["a", "b"])
    #expect(
      try fixture.connection().integer("SELECT count(*) FROM \(fixture.layout.transactions)") == 0
    )
  }

  @Test func `A history request is an error, not an empty result`() throws {
    let store = try open(off)
    let untracked = HistoryError.untracked(path: fixture.path)
    #expect(throws: untracked) { try store.fetch(HistoryRequest(after: nil)) }
    #expect(throws: untracked) { try store.currentToken() }
    #expect(throws: untracked) { try store.purge() }
    #expect(throws: untracked) { try store.members() }
    #expect(throws: untracked) { try store.deleteHistory(before: .distantFuture, authors: nil) }
    #expect(untracked.description.contains("tracksHistory"))
  }

  @Test func `Conflicts are detected without history`() throws {
    let store = try open(off)
    let id = try store.insertItem(["a"])
    let version = try #require(try store.rows(1).versions.first)
    let other = try open(off)
    let edit = ObjectEdit(.update, id, columns: 1, version: version, values: ["b"])
    #expect(try other.save([edit]).outcomes == [.written])
    #expect(throws: HistoryError.conflict([id])) { try store.save([edit]) }
    #expect(try store.titles() == ["b"])
  }

  @Test func `Opening with history enables it permanently`() throws {
    let before = try open(off)
    try before.add(["a"])
    let tracked = try open(fixture.configuration)
    #expect(try tracked.add("b", by: "app") == 1)
    #expect(try tracked.numbers() == [1])
    // A version from a write without history never equals a transaction's number.
    #expect(try tracked.rows(1).versions.map { $0 > 0 } == [false, true])
    #expect(throws: HistoryError.readOnly(path: fixture.path)) { try before.add(["c"]) }
    #expect(try before.titles() == ["a", "b"])
  }

  @Test func `A store with history that is opened without it is read-only`()
    throws
  {
    let tracked = try fixture.open()
    try tracked.add(["a"])
    let store = try open(off)
    let readOnly = HistoryError.readOnly(path: fixture.path)
    #expect(throws: readOnly) { try store.add(["b"]) }
    #expect(throws: readOnly) { try store.batchUpdate("Item", set: [:], by: BatchAuthor(nil)) }
    #expect(throws: readOnly) { try store.batchDelete("Item", by: BatchAuthor(nil)) }
    #expect(throws: readOnly) { try store.makeObjectID("Item") }
    let edit = ObjectEdit(.delete, ObjectID(entity: 1, key: 1), version: 1)
    #expect(throws: readOnly) { try store.save([edit]) }
    #expect(throws: HistoryError.untracked(path: fixture.path)) {
      try store.fetch(HistoryRequest(after: nil))
    }
    #expect(try store.titles() == ["a"])
    #expect(try tracked.numbers() == [1])
    #expect(readOnly.description.contains("only be read"))
  }
}
