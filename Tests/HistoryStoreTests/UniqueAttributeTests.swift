import Foundation
import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import TestSupport
import Testing

@Suite(.inEveryLayout) struct `A unique attribute` {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private func model(_ constraints: [[String]] = [["name"]], version: Int = 1) throws -> Model {
    let attributes = [
      Attribute("name", .string), Attribute("count", .int), Attribute("code", .int),
    ]
    let tag = Entity("Tag", attributes, uniquenessConstraints: constraints)
    return try Model([tag], version: version)
  }

  private let by = BatchAuthor("app")

  /// The names and counts of all objects.
  private func stored(_ store: Store) throws -> [String] {
    let rows = try store.rows(1)
    return zip(rows.column(0), rows.column(1)).map { "\($0) \($1)" }
  }

  @Test func `Batches that make a duplicate are refused, and change nothing`() throws {
    let store = try fixture.open(model())
    let id = try store.insert("Tag", ["name": "a"])
    let error = HistoryError.duplicate([], entity: "Tag", attributes: ["name"])
    for names in [["b", "a"], ["b", "c", "d", "e", "f", "b"]] {
      let rows = names.map { ["name": Value.string($0)] }
      #expect(throws: error) { try store.batchInsert(into: "Tag", rows, by: by) }
    }
    #expect(error.message.hasPrefix("Two objects of Tag would have the same name, which must be"))
    try store.insert("Tag", ["name": "b"])
    #expect(throws: error) { try store.batchUpdate("Tag", set: ["name": "c"], by: by) }
    var rest = [id][...]
    #expect(throws: error) {
      try store.batchUpdate("Tag", setting: ["name"], by: by) { row in
        row.set("b", at: 0)
        return rest.popFirst()
      }
    }
    #expect(try stored(store) == [#""a" null"#, #""b" null"#])
    #expect(try store.numbers() == [1, 2])
  }

  @Test func `A batch insert with a merge policy leaves out or updates duplicates`() throws {
    let store = try fixture.open(model())
    try store.insert("Tag", ["name": "a", "count": 1, "code": 9])
    let rows: [[String: Value]] = [
      ["name": "a", "count": 2], ["name": "b", "count": 3], ["name": "b", "code": 4],
      ["name": "a", "code": 5], ["count": 6], ["count": 7],
    ]
    for policy in [MergePolicy.storeWins, .rollback] {
      let copy = try StoreFixture()
      let store = try copy.open(model())
      try store.insert("Tag", ["name": "a", "count": 1])
      let made = try store.batchInsert(
        into: "Tag",
        rows,
        by: by,
        result: .objectIDs,
        mergePolicy: policy
      )
      #expect(made.count == 3 && made.objectIDs.count == 3)
      #expect(
        try stored(store) == [#""a" 1"#, #""b" 3"#, "null 6", "null 7"]
      )
    }
    let made = try store.batchInsert(into: "Tag", rows, by: by, mergePolicy: .objectWins)
    #expect(made.count == 4)
    #expect(try store.rows(1).column(2) == [5, 4, .null, .null])
    #expect(try stored(store) == [#""a" 2"#, #""b" 3"#, "null 6", "null 7"])
    let changes = try store.history().filter { $0.hasPrefix("#2") }.sorted()
    #expect(changes.last == #"#2 update Tag/1 ["name", "count", "code"]"# && changes.count == 4)
    #expect(try store.verify().filter(\.isWrong).isEmpty && store.integrityProblem() == nil)
    let whole: [[String: Value]] = [["name": "a"]]
    #expect(try store.batchInsert(into: "Tag", whole, by: by, mergePolicy: .overwrite).count == 1)
    #expect(try store.rows(1).values.prefix(3) == ["a", .null, .null])
  }

  @Test func `An inserted object with several duplicates is an error in a batch`() throws {
    let store = try fixture.open(model([["name"], ["count"]]))
    try store.insert("Tag", ["name": "a", "count": 1])
    try store.insert("Tag", ["name": "b", "count": 2])
    let error = #expect(throws: HistoryError.self) {
      try store.batchInsert(
        into: "Tag",
        [["name": "a", "count": 2]],
        by: by,
        mergePolicy: .objectWins
      )
    }
    #expect(error?.code == .duplicate && error?.objects.last == ObjectID(entity: 1, key: 1))
    #expect(try stored(store) == [#""a" 1"#, #""b" 2"#])
  }

  @Test func `A program with plain SQL cannot write a duplicate`() throws {
    let store = try fixture.open(model())
    try store.insert("Tag", ["name": "a"])
    #expect(throws: SQLiteError.self) { try fixture.execute("INSERT INTO Tag(name) VALUES('a')") }
    try fixture.execute("INSERT INTO Tag(_key, name) VALUES(7, 'b')")
    #expect(throws: SQLiteError.self) { try fixture.execute("UPDATE Tag SET name = 'a'") }
  }

  @Test func `Opening a store with a newer model makes an attribute unique or fails`() throws {
    let old = try fixture.open(model([]))
    let ids = try ["a", "a", "b"].map { try old.insert("Tag", ["name": .string($0)]) }
    let newer = try model(version: 2)
    let error = HistoryError.duplicate(
      Array(ids.prefix(2)),
      entity: "Tag",
      attributes: ["name"]
    )
    #expect(throws: error) { try fixture.open(newer) }
    #expect(try fixture.open(model([])).modelSkew() == nil)
    try old.save([ObjectEdit(.delete, ids[1], version: 2)])
    let store = try fixture.open(newer)
    #expect(store.model == newer)
    #expect(try Store(path: fixture.path, configuration: fixture.configuration).model == newer)
    // The program with the older model meets the constraint, too.
    let refused = #expect(throws: HistoryError.self) { try old.insert("Tag", ["name": "a"]) }
    #expect(refused?.code == .duplicate)
    #expect(try old.modelSkew()?.differences == [.addedUniqueness(entity: "Tag", ["name"])])
    let result = try old.save(
      [ObjectEdit(.insert, try old.makeObjectID("Tag"), columns: 1, values: ["a", 4, .null])],
      .storeWins
    )
    #expect(result.outcomes == [.replaced(by: ids[0])])
    let free = try fixture.open(model([], version: 3))
    #expect(try free.insert("Tag", ["name": "a"]).key > ids[2].key)
  }
}
