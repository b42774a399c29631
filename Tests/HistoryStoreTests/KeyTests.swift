import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import Testing

@Suite(.inEveryLayout) struct KeyTests {
  @Test func `Keys are not reused after deletes, failures and reopening`() throws {
    let fixture = try StoreFixture()
    var given: Set<Int64> = []
    for round in 0..<4 {
      let store = try fixture.open()
      let first = try store.makeObjectID("Item")
      let batch = try store.add(["a", "b"]).objectIDs
      _ = try store.batchDelete("Item", by: BatchAuthor("app"))
      #expect(throws: HistoryError.self) {
        try store.save([ObjectEdit(.insert, first, values: Array(repeating: 1.5, count: 8))])
      }
      let second = try store.makeObjectID("Item")
      for key in [first.key, second.key] + batch.map(\.key) {
        #expect(given.insert(key).inserted, "key \(key) in round \(round)")
      }
    }
  }

  @Test func `A failed batch returns its reserved block and reuses no key`() throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    let before = try store.makeObjectID("Item")
    var count = 0
    #expect(throws: HistoryError.self) {
      try store.batchInsert(into: "Item", by: BatchAuthor("app")) { row in
        count += 1
        row.set("a", at: 0)
        if count == 500 { row.set(Double.nan, at: 2) }
        return true
      }
    }
    let after = try store.add(Array(repeating: "b", count: 3000)).objectIDs.map(\.key)
    #expect(Set(after).count == 3000)
    #expect(!after.contains(before.key))
    let other = try fixture.open().add(Array(repeating: "c", count: 500)).objectIDs.map(\.key)
    #expect(Set(after).isDisjoint(with: other))
  }

  @Test func `Two connections reserve their own blocks of keys`() throws {
    let fixture = try StoreFixture()
    let stores = [try fixture.open(), try fixture.open()]
    var keys: [Int64] = []
    for index in 0..<300 { keys.append(try stores[index % 2].makeObjectID("Item").key) }
    #expect(Set(keys).count == 300)
    #expect(keys.allSatisfy { $0 > 0 })
    #expect(try stores[0].makeObjectID("Tag").key == 1)
  }

  @Test func `Most keys cost no write`() throws {
    let fixture = try StoreFixture()
    let store = try fixture.open()
    let watcher = try fixture.connection()
    var writes = 0
    var version = try watcher.integer("PRAGMA data_version")
    for _ in 0..<2000 {
      _ = try store.makeObjectID("Item")
      let now = try watcher.integer("PRAGMA data_version")
      if now != version { writes += 1 }
      version = now
    }
    #expect(writes == 6)
  }
}
