import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import Testing

@Suite(.inEveryLayout) struct BigTransactionTests {
  @Test func `A hundred thousand changes are read from their chunks and purged with them`()
    throws
  {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    let count = 100_000
    var index: Int64 = 0
    let inserted = try store.batchInsert(into: "Item", by: BatchAuthor("app"), result: .objectIDs) {
      row in
      row.set(index, at: 1)
      index += 1
      return index <= count
    }
    let deleted = try store.batchDelete("Item", by: BatchAuthor("app"), result: .objectIDs)
    #expect(deleted.objectIDs == inserted.objectIDs)
    let connection = try fixture.connection()
    let rows = try connection.integer("SELECT count(*) FROM \(fixture.layout.changeRows)") ?? 0
    switch fixture.layout {
    case .packed:
      let greatest = try connection.integer("SELECT max(length(changes)) FROM history_chunk") ?? 0
      #expect(rows > 20)
      #expect(greatest < 34 * 1024)
    case .coreData: #expect(rows == 2 * Int64(count))
    }
    let page = try store.fetch(HistoryRequest(after: try store.token(1)))
    let changes = page.changeRecords
    #expect(page.transactions.map(\.changes.count) == [count])
    #expect(changes.map(\.key) == inserted.objectIDs.map(\.key))
    #expect(changes.allSatisfy { $0.type == .delete && $0.tombstoneLength > 0 })
    let last = try #require(page.transactions.first?.changes.last)
    #expect(last.tombstone == ["count": .int(Int64(count - 1))])
    try store.add("b")
    #expect(try store.purge().transactionCount == 2)
    let left = try connection.integer("SELECT count(*) FROM \(fixture.layout.changeRows)")
    #expect(left == (fixture.layout == .packed ? 0 : 1))
  }

  @Test func `A chunk starts with its own key, whatever the previous one ended with`() throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    let ids = try store.add(Array(repeating: String(repeating: "x", count: 5000), count: 30))
      .objectIDs
    try store.save(ids.reversed().map { ObjectEdit(.delete, $0, version: 1) })
    let page = try store.fetch(HistoryRequest(after: try store.token(1)))
    #expect(page.changes.map(\.objectID) == ids.reversed())
    let sql = "SELECT count(*) FROM \(fixture.layout.changeRows)"
    #expect(try fixture.connection().integer(sql) ?? 0 > 3)
  }
}
