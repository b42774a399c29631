import HistoryStore
import HistoryTypes
import StoreFixtures
import Testing

/// Batch requests with enough rows, and key orders, that one statement writes many rows.
@Suite(.inEveryLayout) struct BatchOfManyTests {
  let fixture: StoreFixture
  let store: Store
  let by = BatchAuthor("importer")

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
  }

  /// Returns the keys and types of the newest transaction's changes, in order.
  private func newest() throws -> [(key: Int64, type: ChangeType)] {
    let transaction = try #require(try store.fetch(HistoryRequest(after: nil)).transactions.last)
    return transaction.changes.map { ($0.objectID.key, $0.type) }
  }

  private func insert(_ count: Int) throws -> [ObjectID] {
    try store.batchInsert(
      into: "Item",
      (0..<count).map { ["title": .string("t\($0)"), "count": .int(Int64($0))] },
      by: by,
      result: .objectIDs
    ).objectIDs
  }

  // MARK: Inserts

  @Test(arguments: [3, 4, 5, 255, 256, 257, 700])
  func `Rows of every type and null arrive as they were set`(count: Int) throws {
    func values(_ row: Int) -> [String: Value] {
      var values: [String: Value] = [
        "title": .string(String(repeating: "é", count: row % 40)),
        "count": .int(Int64(row) - 5), "ratio": .double(Double(row) / 3),
        "body": .data(Data(repeating: UInt8(row & 255), count: row % 3)),
        "due": .date(Date(timeIntervalSinceReferenceDate: Double(row))),
        "done": .bool(row % 2 == 0), "code": .uuid(UUID()), "note": .string("n\(row)"),
      ]
      for (index, name) in values.keys.sorted().enumerated() where row >> index & 1 == 1 {
        values[name] = .null
      }
      return values
    }
    let objects = (0..<count).map(values)
    let result = try store.batchInsert(into: "Item", objects, by: by, result: .objectIDs)
    #expect(result.objectIDs.map(\.key) == (1...Int64(count)).map { $0 })
    let rows = try store.rows(1)
    for (index, attribute) in try StoreFixture.model().entities[0].attributes.enumerated() {
      #expect(rows.column(index) == objects.map { $0[attribute.name] ?? .null })
    }
    #expect(Set(rows.versions) == [1])
    #expect(try newest().map(\.key) == rows.keys)
  }

  @Test func `Strings that fill the row buffer are written in parts`() throws {
    let lengths = [300_000, 0, 10, 5_000, 70_000, 600_000, 1, 200_000, 4_000]
    let objects = lengths.enumerated().map { index, length in
      ["title": Value.string(String(repeating: "\(index)", count: length))]
    }
    for _ in 0..<2 { try store.batchInsert(into: "Item", objects, by: by) }
    #expect(try store.titles() == (objects + objects).compactMap { $0["title"] })
  }

  @Test func `A batch that fails after many rows leaves no rows, even for the next batch`() throws {
    struct Unreadable: Error {}
    for limit in [2, 100, 300] {
      var count = 0
      #expect(throws: HistoryError.self) {
        try store.batchInsert(into: "Item", by: by) { row in
          row.set("lost", at: 0)
          row.set(7, at: 1)
          count += 1
          if count > limit { throw Unreadable() }
          return true
        }
      }
      #expect(throws: HistoryError.unfitValue(entity: "Item", attribute: "count", type: .int)) {
        try store.batchInsert(into: "Item", by: by) { row in
          count += 1
          if count % limit == 0 { row.set("seven", at: 1) } else { row.set(7, at: 1) }
          return true
        }
      }
    }
    #expect(try store.rows(1).keys.isEmpty)
    try store.batchInsert(into: "Item", [["note": "a"], [:]], by: by)
    #expect(try store.titles() == [.null, .null] && store.numbers() == [1])
    #expect(try store.rows(1).column(1) == [.null, .null])
  }

  // MARK: Updates

  /// Key orders over 300 existing rows: rising without and with gaps, with missing rows, falling,
  /// repeated at different distances, and mixed.
  private static let orders: [[Int64]] = [
    Array(1...300), Array(1...70), [1, 2, 3, 5, 6, 7, 8],
    stride(from: 1, through: 299, by: 3).map { $0 },
    Array(290...420), stride(from: 2, through: 600, by: 7).map { $0 },
    (1...60).reversed(), Array(1...80) + Array(40...120), Array(1...300) + Array(1...300),
    [5, 5, 5, 6, 7, 8, 9, 10, 4], Array(400...500),
    (0..<300).map { ($0 * 7919) % 301 + 1 }, [300] + Array(1...299), Array(1...64) + [70],
  ]

  @Test(arguments: orders.indices)
  func `Updates in any key order equal the same updates one by one`(order: Int) throws {
    let keys = Self.orders[order]
    _ = try insert(300)
    var next = 0
    let result = try store.batchUpdate(
      "Item",
      setting: ["title", "count"],
      by: by,
      result: .objectIDs
    ) { row in
      guard next < keys.count else { return nil }
      row.set("u\(next)", at: 0)
      if next % 3 != 0 { row.set(next, at: 1) }
      next += 1
      return ObjectID(entity: 1, key: keys[next - 1])
    }
    var titles = (0..<300).map { Value.string("t\($0)") }
    var counts = (0..<300).map { Value.int(Int64($0)) }
    var changed: [Int64] = []
    for (turn, key) in keys.enumerated() where key <= 300 {
      titles[Int(key) - 1] = .string("u\(turn)")
      counts[Int(key) - 1] = turn % 3 == 0 ? .null : .int(Int64(turn))
      if !changed.contains(key) { changed.append(key) }
    }
    #expect(try store.titles() == titles)
    #expect(try store.rows(1).column(1) == counts)
    #expect(result.objectIDs.map(\.key) == changed)
    #expect(result.count == changed.count)
    if !changed.isEmpty { #expect(try newest().map(\.key) == changed) }
    let versions = try store.rows(1).versions
    #expect(versions.indices.filter { versions[$0] == 2 }.map { Int64($0) + 1 } == changed.sorted())
  }

  @Test func `Updates of several sets of attributes do not disturb one another`() throws {
    let ids = try insert(10)
    for (turn, names) in [["title"], ["count", "note"], ["title"], ["note"]].enumerated() {
      var next = 0
      try store.batchUpdate("Item", setting: names, by: by) { row in
        guard next < ids.count else { return nil }
        if names.contains("title") { row.set("u\(turn)", at: 0) }
        if names.contains("note") && next % 2 == 0 { row.set("n\(turn)", at: 7) }
        next += 1
        return ids[next - 1]
      }
    }
    let rows = try store.rows(1)
    #expect(rows.column(0) == Array(repeating: "u2", count: 10))
    #expect(rows.column(1) == Array(repeating: .null, count: 10))
    #expect(rows.column(7) == (0..<10).map { $0 % 2 == 0 ? "n3" : .null })
  }

  // MARK: Deletes

  @Test(arguments: orders.indices)
  func `Deletes in any key order equal the same deletes one by one`(order: Int) throws {
    let keys = Self.orders[order]
    _ = try insert(300)
    var rest = keys[...]
    let result = try store.batchDelete("Item", by: by, result: .objectIDs) {
      rest.popFirst().map { ObjectID(entity: 1, key: $0) }
    }
    var deleted: [Int64] = []
    for key in keys where key <= 300 && !deleted.contains(key) { deleted.append(key) }
    #expect(result.objectIDs.map(\.key) == deleted)
    #expect(try store.rows(1).keys == (1...300).filter { !deleted.contains($0) })
    guard !deleted.isEmpty else { return }
    let transaction = try #require(try store.fetch(HistoryRequest(after: nil)).transactions.last)
    #expect(transaction.changes.map(\.objectID.key) == deleted)
    #expect(
      transaction.changes.map { $0.tombstone?["title"] }
        == deleted.map { .string("t\($0 - 1)") }
    )
  }

  @Test func `A delete that fails leaves no keys for the next one`() throws {
    struct Unreadable: Error {}
    let ids = try insert(40)
    var next = 0
    #expect(throws: HistoryError.self) {
      try store.batchDelete("Item", by: by) {
        next += 1
        if next == 10 { throw Unreadable() }
        return ids[next]
      }
    }
    var last = [ids[39]][...]
    #expect(try store.batchDelete("Item", by: by) { last.popFirst() }.count == 1)
    #expect(try store.rows(1).keys == Array(1...39))
  }
}
