import Foundation
import HistoryStore
import HistoryTypes
import StoreFixtures
import Testing

struct RowBatchTests {
  private static let row: [Value] = [
    "a text that is too long to lie within the value", -7, 2.5, .data(Data([1, 2, 3])),
    .date(Date(timeIntervalSinceReferenceDate: 100)), true,
    .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))), "",
  ]
  private static let large: [Value] = [
    .string(String(repeating: "ä", count: 20_000)), .int(.min), .double(-.infinity),
    .data(Data(count: 300)), .date(Date(timeIntervalSinceReferenceDate: -1e300)), false,
    .uuid(UUID()), .string("\u{0}"),
  ]

  let store: Store
  let ids: [ObjectID]

  init() throws {
    let store = try StoreFixture().open()
    self.store = store
    ids = try [Self.row, Self.large, Self.row].map { row in
      let id = try store.makeObjectID("Item")
      try store.save([ObjectEdit(.insert, id, values: row)])
      return id
    }
  }

  @Test func `Rows are read by keys, each with its version and exact values`() throws {
    let batch = try store.rows(1, sortedKeys: ids.map(\.key))
    #expect(batch.keys == ids.map(\.key) && batch.versions == [1, 2, 3])
    #expect(batch.count == 3 && Array(batch)[1].values == Self.large)
    #expect(batch.values == Self.row + Self.large + Self.row)
    #expect(try store.rows(1).values == batch.values)
  }

  @Test(arguments: 0..<8) func `A null is read as null`(_ attribute: Int) throws {
    let columns: UInt64 = 1 << UInt64(attribute)
    try store.save([ObjectEdit(.update, ids[2], columns: columns, version: 3, values: [nil])])
    var expected = Self.row
    expected[attribute] = nil
    #expect(try store.rows(1, sortedKeys: [ids[2].key]).values == expected)
  }

  @Test func `Missing rows are left out`() throws {
    try store.save([ObjectEdit(.delete, ids[1], version: 2)])
    let batch = try store.rows(1, sortedKeys: ids.map(\.key) + [99])
    #expect(batch.keys == [ids[0].key, ids[2].key] && batch.values == Self.row + Self.row)
  }

  @Test func `Several entities are read at once, and those without keys are skipped`() throws {
    let tag = try store.makeObjectID("Tag")
    try store.save([ObjectEdit(.insert, tag, values: ["t"])])
    let batches = try store.rows(sortedKeys: [[], [tag.key, 99]])
    #expect(batches.map(\.entity) == [2] && batches.map(\.values) == [["t"]])
  }

  @Test func `Rows around the greatest size that a record states are read one by one`() throws {
    let texts = (0..<40).map { String(repeating: "x", count: 995 + $0) }
    let keys = try texts.map { text in
      let id = try store.makeObjectID("Tag")
      try store.save([ObjectEdit(.insert, id, values: [.string(text)])])
      return id.key
    }
    for batch in [try store.rows(2), try store.rows(2, sortedKeys: keys)] {
      #expect(batch.keys == keys && batch.column(0) == texts.map { .string($0) })
      #expect(batch.map(\.key) == keys && batch.versions == (4..<44).map { $0 })
    }
  }
}
