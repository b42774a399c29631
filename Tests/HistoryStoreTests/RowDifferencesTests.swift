import Foundation
import HistoryStore
import HistoryTypes
import StoreFixtures
import Testing

struct RowDifferencesTests {
  private static let row: [Value] = [
    "a text that is too long to lie within the value", 7, 2.5, .data(Data([1, 2, 3])),
    .date(Date(timeIntervalSinceReferenceDate: 100)), true,
    .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))), "",
  ]
  private static let other: [Value] = [
    "a text that is too long to lie within the valuf", 8, -2.5, .data(Data([1, 2, 4])),
    .date(Date(timeIntervalSinceReferenceDate: 101)), false,
    .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17))), "x",
  ]

  let store: Store
  let ids: [ObjectID]

  init() throws {
    let store = try StoreFixture().open()
    self.store = store
    ids = try [Self.row, Self.row, Self.row].map { row in
      let id = try store.makeObjectID("Item")
      try store.save([ObjectEdit(.insert, id, values: row)])
      return id
    }
  }

  /// Reads items again, given rows that are already known.
  private func read(_ keys: [Int64], _ places: [Int], _ values: [Value]) throws -> RowDifferences? {
    try store.rows(comparedWith: [KnownRows(entity: 1, keys: keys, places: places, values: values)])
      .first
  }

  @Test func `An unchanged row is not read`() throws {
    let read = try #require(try read([ids[1].key], [0], Self.row))
    #expect(read.rows.map(\.columns) == [0] && read.values.isEmpty)
    #expect(read.rows[0].key == ids[1].key && read.rows[0].version == 2 && read.rows[0].place == 0)
  }

  @Test(arguments: 0..<8) func `A changed value is read`(_ attribute: Int) throws {
    var known = Self.row
    known[attribute] = Self.other[attribute]
    let read = try #require(try read([ids[0].key], [0], known))
    #expect(read.rows.map(\.columns) == [1 << UInt64(attribute)])
    #expect(read.values == [Self.row[attribute]])
  }

  @Test(arguments: 0..<8) func `A null differs from a value`(_ attribute: Int) throws {
    var known = Self.row
    known[attribute] = nil
    #expect(try read([ids[0].key], [0], known)?.values == [Self.row[attribute]])
    let columns: UInt64 = 1 << UInt64(attribute)
    try store.save([ObjectEdit(.update, ids[2], columns: columns, version: 3, values: [nil])])
    let read = try #require(try read([ids[2].key], [0], Self.row))
    #expect(read.rows.map(\.columns) == [columns] && read.values == [nil])
  }

  @Test func `An unknown row is read completely`() throws {
    let read = try #require(try read([ids[0].key], [-1], []))
    #expect(read.rows.map(\.columns) == [0xff] && read.values == Self.row)
  }

  @Test func `Missing rows are left out, and the others keep their places`() throws {
    try store.save([ObjectEdit(.delete, ids[1], version: 2)])
    var known = Self.row + Self.row + Self.row
    known[8 * 2 + 1] = 6
    let read = try #require(try read(ids.map(\.key), [0, 1, 2], known))
    #expect(read.rows.map(\.key) == [ids[0].key, ids[2].key])
    #expect(read.rows.map(\.columns) == [0, 2] && read.rows.map(\.place) == [0, 2])
    #expect(read.values == [7])
  }

  @Test func `Several entities are read in one snapshot, and those without keys are skipped`()
    throws
  {
    let tag = try store.makeObjectID("Tag")
    try store.save([ObjectEdit(.insert, tag, values: ["t"])])
    let known = [
      KnownRows(entity: 1, keys: [], places: [], values: []),
      KnownRows(entity: 2, keys: [tag.key, 99], places: [-1, -1], values: []),
    ]
    let read = try store.rows(comparedWith: known)
    #expect(read.map(\.entity) == [2] && read.map(\.values) == [["t"]])
  }
}
