import HistoryStore
import HistoryTypes
import StoreFixtures
import TestSupport
import Testing

@Suite(.inEveryLayout) struct BatchTests {
  let fixture: StoreFixture
  let store: Store
  let batch = BatchAuthor("importer", contextName: "background")

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
  }

  @Test func `A batch insert writes the values that the closure sets, row by row`() throws {
    var index = 0
    let result = try store.batchInsert(into: "Item", by: batch, result: .objectIDs) { row in
      guard index < 3 else { return false }
      for (position, value) in SaveTests.values.enumerated() where position != index {
        row.set(value, at: position)
      }
      index += 1
      return true
    }
    #expect(result.objectIDs.map(\.key) == [1, 2, 3])
    #expect(result.transaction?.count == 3)
    let rows = try store.rows(1)
    for row in 0..<3 {
      var expected = SaveTests.values
      expected[row] = .null
      #expect(Array(rows.values[row * 8..<row * 8 + 8]) == expected)
    }
    let transaction = try #require(try store.fetch(HistoryRequest(after: nil)).transactions.first)
    #expect(transaction.author == "importer")
    #expect(transaction.contextName == "background")
    #expect(transaction.writer == nil)
    #expect(transaction.changes.map(\.objectID) == result.objectIDs)
  }

  @Test func `Omitted attributes of a batch insert are null, whatever a save has written before`()
    throws
  {
    _ = try store.insertItem(SaveTests.values)
    try store.add(["a"])
    #expect(Array(try store.rows(1).values.suffix(8)) == ["a"] + Array(repeating: .null, count: 7))
    try store.add(["b"])
    _ = try store.insertItem()
    #expect(try store.titles() == ["naïve", "a", "b", .null])
  }

  @Test func `Setting null removes an earlier value`() throws {
    var isFirst = true
    _ = try store.batchInsert(into: "Item", by: batch) { row in
      defer { isFirst = false }
      row.set("a", at: 0)
      row.set(7, at: 1)
      row.set(Value.null, at: 0)
      row.set(Value.null, at: 1)
      row.set("b", at: 7)
      return isFirst
    }
    #expect(try store.rows(1).values == Array(repeating: .null, count: 7) + ["b"])
  }

  @Test func `A batch without rows leaves no transaction`() throws {
    let result = try store.batchInsert(into: "Item", by: batch) { _ in false }
    #expect(result.transaction == nil)
    #expect(try store.numbers() == [])
  }

  @Test func `A value of the wrong type ends the batch, which leaves no rows`() throws {
    var count = 0
    #expect(throws: HistoryError.unfitValue(entity: "Item", attribute: "ratio", type: .double)) {
      try store.batchInsert(into: "Item", by: batch) { row in
        count += 1
        row.set("a", at: 0)
        row.set(count == 3 ? Double.nan : 1, at: 2)
        return count < 9
      }
    }
    #expect(count == 3)
    let wrong: [(Int, Value)] = [
      (0, 1), (1, 1.5), (2, 1), (3, "a"), (4, 2.0), (5, 1), (6, "b"), (4, .double(.nan)),
    ]
    for (position, value) in wrong {
      let attribute = store.model.entities[0].attributes[position]
      #expect(
        throws: HistoryError.unfitValue(
          entity: "Item",
          attribute: attribute.name,
          type: attribute.type
        )
      ) {
        try store.batchInsert(into: "Item", by: batch) { row in
          row.set(value, at: position)
          return true
        }
      }
    }
    let item = store.model.entities[0]
    for position in [-1, 8] {
      #expect(throws: HistoryError.unknownAttribute("#\(position)", of: item)) {
        try store.batchInsert(into: "Item", by: batch) { row in
          row.set(Value.null, at: position)
          return true
        }
      }
    }
    #expect(try store.titles() == [])
    #expect(try store.numbers() == [])
    try store.add(["b"])
    #expect(try store.rows(1).values == ["b"] + Array(repeating: .null, count: 7))
  }

  @Test func `The closure's own error is rethrown, and the batch leaves no rows`()
    throws
  {
    struct Unreadable: Error {}
    var count = 0
    #expect(throws: HistoryError.stopped("Unreadable()")) {
      try store.batchInsert(into: "Item", by: batch) { row in
        count += 1
        row.set("a", at: 0)
        if count == 2 { throw Unreadable() }
        return true
      }
    }
    #expect(try store.titles() == [])
  }

  @Test func `A request from inside a batch's closure is refused, and the batch continues`()
    throws
  {
    var count = 0
    let store = store
    _ = try store.batchInsert(into: "Item", by: batch) { row in
      count += 1
      #expect(throws: HistoryError.self) { try store.add(["inner"]) }
      row.set("outer", at: 0)
      return count < 3
    }
    #expect(try store.titles() == ["outer", "outer"])
    #expect(try store.numbers() == [1])
  }

  @Test func `A batch update sets attributes of the matching objects`() throws {
    try store.add(["a", "b", "c"])
    let result = try store.batchUpdate(
      "Item",
      where: .compare("title", .greaterOrEqual, "b"),
      set: ["note": "x", "count": 5],
      by: batch,
      result: .objectIDs
    )
    #expect(result.objectIDs.map(\.key) == [2, 3])
    #expect(try store.rows(1).column(7) == [.null, "x", "x"])
    #expect(try store.rows(1).column(1) == [.null, 5, 5])
    #expect(try store.rows(1).versions == [1, 2, 2])
    let transaction = try #require(try store.fetch(HistoryRequest(after: nil)).transactions.last)
    #expect(transaction.changes.map(\.columns) == [0b1000_0010, 0b1000_0010])
    #expect(transaction.changes.map(\.objectID) == result.objectIDs)
    _ = try store.batchUpdate("Item", set: ["note": nil], by: batch)
    #expect(try store.rows(1).column(7) == [.null, .null, .null])
  }

  @Test func `A batch update without matches or values leaves no transaction`() throws {
    try store.add(["a"])
    let none = ObjectPredicate.compare("title", .equal, "z")
    #expect(
      try store.batchUpdate("Item", where: none, set: ["note": "x"], by: batch).transaction == nil
    )
    #expect(try store.batchUpdate("Item", set: [:], by: batch, result: .objectIDs).count == 0)
    #expect(try store.batchDelete("Item", where: none, by: batch).transaction == nil)
    #expect(try store.numbers() == [1])
  }

  @Test func `A batch delete leaves tombstones`() throws {
    try store.add(["a", "b", "c"])
    let result = try store.batchDelete(
      "Item",
      where: .compare("title", .less, "c"),
      by: batch,
      result: .objectIDs
    )
    #expect(result.objectIDs.map(\.key) == [1, 2])
    #expect(try store.titles() == ["c"])
    let transaction = try #require(try store.fetch(HistoryRequest(after: nil)).transactions.last)
    #expect(transaction.changes.map(\.tombstone) == [["title": "a"], ["title": "b"]])
    #expect(transaction.changes.map(\.type) == [.delete, .delete])
  }

  @Test func `Wrong names and values are refused by name`() throws {
    let item = store.model.entities[0]
    #expect(throws: HistoryError.unknownEntity("Nothing", in: store.model)) {
      try store.batchDelete("Nothing", by: batch)
    }
    #expect(throws: HistoryError.unknownAttribute("x\" = 1; --", of: item)) {
      try store.batchDelete("Item", where: .compare("x\" = 1; --", .equal, 1), by: batch)
    }
    #expect(throws: HistoryError.unknownAttribute("_key", of: item)) {
      try store.batchUpdate("Item", set: ["_key": 1], by: batch)
    }
    #expect(throws: HistoryError.unfitValue(entity: "Item", attribute: "count", type: .int)) {
      try store.batchUpdate("Item", set: ["count": "x"], by: batch)
    }
    #expect(throws: HistoryError.unfitValue(entity: "Item", attribute: "ratio", type: .double)) {
      try store.batchDelete("Item", where: .compare("ratio", .less, .double(.nan)), by: batch)
    }
  }

  @Test(
    arguments: [
      (.compare("count", .equal, nil), [1]), (.compare("count", .notEqual, nil), [2, 3, 4]),
      (.compare("count", .less, nil), []), (.compare("count", .greaterOrEqual, nil), []),
      (.compare("count", .equal, 2), [3]), (.compare("count", .notEqual, 2), [2, 4]),
      (.compare("count", .less, 2), [2]), (.compare("count", .lessOrEqual, 2), [2, 3]),
      (.compare("count", .greater, 2), [4]), (.compare("count", .greaterOrEqual, 2), [3, 4]),
      (.all([]), [1, 2, 3, 4]),
      (.all([.compare("count", .greater, 1), .compare("title", .equal, "c")]), [3]),
      (.all([.all([]), .compare("count", .equal, nil)]), [1]),
      (.compare("title", .equal, "'; DROP TABLE Item; --"), []),
    ] as [(ObjectPredicate, [Int64])]
  )
  func `Predicates compare as SQL does, and a null attribute matches only = null`(
    predicate: ObjectPredicate,
    keys: [Int64]
  ) throws {
    var rows: [(String, Int64?)] = [("a", nil), ("b", 1), ("c", 2), ("d", 3)].reversed()
    _ = try store.batchInsert(into: "Item", by: batch) { row in
      guard let (title, count) = rows.popLast() else { return false }
      row.set(title, at: 0)
      if let count { row.set(count, at: 1) }
      return true
    }
    #expect(try store.rows(1, where: predicate).keys == keys)
  }
}
