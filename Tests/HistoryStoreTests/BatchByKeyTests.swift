import HistoryStore
import HistoryTypes
import StoreFixtures
import Testing

@Suite(.inEveryLayout) struct BatchByKeyTests {
  let fixture: StoreFixture
  let store: Store
  let by = BatchAuthor("importer", contextName: "background")

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
  }

  @Test func `Values by name are inserted row by row, and omitted ones are null`() throws {
    let rows: [[String: Value]] = [["title": "a", "count": 1], [:], ["note": "n", "count": nil]]
    let result = try store.batchInsert(into: "Item", rows, by: by, result: .objectIDs)
    #expect(result.objectIDs.map(\.key) == [1, 2, 3] && result.count == 3)
    #expect(try store.titles() == ["a", .null, .null])
    #expect(try store.rows(1).column(1) == [1, .null, .null])
    #expect(try store.rows(1).column(7) == [.null, .null, "n"])
    #expect(throws: HistoryError.unknownAttribute("x", of: store.model.entities[0])) {
      try store.batchInsert(into: "Item", [["title": "b"], ["x": 1]], by: by)
    }
    #expect(throws: HistoryError.unknownEntity("x", in: store.model)) {
      try store.batchInsert(into: "x", [[:]], by: by)
    }
    #expect(throws: HistoryError.unfitValue(entity: "Item", attribute: "count", type: .int)) {
      try store.batchInsert(into: "Item", [["count": "b"]], by: by)
    }
    #expect(try store.titles().count == 3)
  }

  @Test func `Object ids are returned only on request, counts always`() throws {
    let rows: [[String: Value]] = [["title": "a"], ["title": "b"], ["title": "c"]]
    for type in [BatchResultType.status, .count, .objectIDs] {
      let keys: [Int64] = type == .objectIDs ? [1, 2, 3] : []
      let inserted = try store.batchInsert(into: "Item", rows, by: by, result: type)
      #expect(inserted.count == 3 && inserted.objectIDs.count == keys.count)
      let updated = try store.batchUpdate("Item", set: ["count": 1], by: by, result: type)
      #expect(updated.count == 3 && updated.objectIDs.count == keys.count)
      var ids = try store.rows(1).keys.map { ObjectID(entity: 1, key: $0) }[...]
      let set = try store.batchUpdate("Item", setting: ["note"], by: by, result: type) { _ in
        ids.popFirst()
      }
      #expect(set.count == 3 && set.objectIDs.count == keys.count)
      let deleted = try store.batchDelete("Item", by: by, result: type)
      #expect(deleted.count == 3 && deleted.objectIDs.count == keys.count)
      #expect(deleted.transaction?.count == 3)
    }
  }

  @Test func `An update by key sets each object's own values and null for omitted ones`() throws {
    let ids = try store.add(["a", "b", "c", "d"]).objectIDs
    var rest = [(ids[2], "z", 3 as Int64?), (ids[0], "x", nil), (ids[1], "y", 2)].reversed()[...]
    let result = try store.batchUpdate(
      "Item",
      setting: ["count", "title"],
      by: by,
      result: .objectIDs
    ) { row in
      guard let (id, title, count) = rest.popLast() else { return nil }
      row.set(title, at: 0)
      if let count { row.set(count, at: 1) }
      return id
    }
    #expect(result.objectIDs == [ids[2], ids[0], ids[1]])
    #expect(try store.titles() == ["x", "y", "z", "d"])
    #expect(try store.rows(1).column(1) == [.null, 2, 3, .null])
    #expect(try store.rows(1).versions == [2, 2, 2, 1])
    let transaction = try #require(try store.fetch(HistoryRequest(after: nil)).transactions.last)
    #expect(transaction.author == "importer" && transaction.contextName == "background")
    #expect(transaction.changes.map(\.objectID) == result.objectIDs)
    #expect(transaction.changes.map(\.columns) == [3, 3, 3])
  }

  @Test func `A repeated object keeps the last values and is one change`() throws {
    let ids = try store.add(["a", "b"]).objectIDs
    var rest = [(ids[0], "x"), (ids[1], "y"), (ids[0], "z")].reversed()[...]
    let result = try store.batchUpdate("Item", setting: ["title"], by: by) { row in
      guard let (id, title) = rest.popLast() else { return nil }
      row.set(title, at: 0)
      return id
    }
    #expect(result.count == 2)
    #expect(try store.titles() == ["z", "y"])
    var twice = [ids[0], ids[0]][...]
    #expect(try store.batchDelete("Item", by: by) { twice.popFirst() }.count == 1)
    #expect(try store.titles() == ["y"])
  }

  @Test func `Missing objects are skipped, and an update without objects leaves no transaction`()
    throws
  {
    let gone = ObjectID(entity: 1, key: 99)
    let there = try store.add(["a"]).objectIDs[0]
    var some = [gone, there][...]
    let result = try store.batchUpdate("Item", setting: ["title"], by: by, result: .objectIDs) {
      row in
      row.set("x", at: 0)
      return some.popFirst()
    }
    #expect(result.objectIDs == [there])
    var none = [gone][...]
    #expect(
      try store.batchUpdate("Item", setting: ["title"], by: by) { _ in none.popFirst() }
        .transaction == nil
    )
    none = [gone]
    #expect(try store.batchDelete("Item", by: by) { none.popFirst() }.transaction == nil)
    #expect(try store.numbers() == [1, 2])
  }

  @Test func `A delete by key leaves tombstones`() throws {
    let ids = try store.add(["a", "b", "c"]).objectIDs
    var rest = [ids[2], ids[0]][...]
    let result = try store.batchDelete("Item", by: by, result: .objectIDs) { rest.popFirst() }
    #expect(result.objectIDs == [ids[2], ids[0]])
    let transaction = try #require(try store.fetch(HistoryRequest(after: nil)).transactions.last)
    #expect(transaction.changes.map(\.tombstone) == [["title": "c"], ["title": "a"]])
    #expect(try store.titles() == ["b"])
  }

  @Test func `Foreign objects, foreign attributes and errors of the closure end the batch`() throws
  {
    struct Unreadable: Error {}
    let ids = try store.add(["a", "b"]).objectIDs
    let foreign = ObjectID(entity: 2, key: 1)
    for bad in [{ throw Unreadable() }, { foreign }] as [() throws -> ObjectID?] {
      var calls = 0
      let next: () throws -> ObjectID? = {
        calls += 1
        return calls == 1 ? ids[0] : try bad()
      }
      #expect(throws: HistoryError.self) {
        try store.batchUpdate("Item", setting: ["title"], by: by) { row in
          row.set("x", at: 0)
          return try next()
        }
      }
      calls = 0
      #expect(throws: HistoryError.self) { try store.batchDelete("Item", by: by, next) }
    }
    #expect(throws: HistoryError.unknownAttribute("#1", of: store.model.entities[0])) {
      try store.batchUpdate("Item", setting: ["title"], by: by) { row in
        row.set(1, at: 1)
        return ids[0]
      }
    }
    #expect(throws: HistoryError.unknownAttribute("x", of: store.model.entities[0])) {
      try store.batchUpdate("Item", setting: ["x"], by: by) { _ in ids[0] }
    }
    #expect(try store.titles() == ["a", "b"])
    #expect(try store.numbers() == [1])
  }

  @Test func `Values of one row do not leak into the next`() throws {
    let ids = try store.add(["a", "b"]).objectIDs
    var index = 0
    _ = try store.batchUpdate("Item", setting: ["note", "body"], by: by) { row in
      defer { index += 1 }
      if index == 0 {
        row.set("n", at: 7)
        row.set(Data([1]), at: 3)
      }
      return index < 2 ? ids[index] : nil
    }
    #expect(try store.rows(1).column(7) == ["n", .null])
    #expect(try store.rows(1).column(3) == [.data(Data([1])), .null])
  }
}
