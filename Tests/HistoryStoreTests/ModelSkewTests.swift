import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import TestSupport
import Testing

/// Programs with different versions of a model, on one file at the same time.
@Suite(.inEveryLayout) struct `Programs with different models` {
  let fixture: StoreFixture
  let old: Store

  init() throws {
    fixture = try StoreFixture()
    old = try fixture.open(ModelVersions.first)
  }

  /// The running program with the old model, and one that is opened now.
  private func olds() throws -> [Store] { [old, try fixture.open(ModelVersions.first)] }

  @Test func `An older program's update leaves an unknown attribute as it is`() throws {
    let ids = [try old.insert("Item", ["title": "a"]), try old.insert("Item", ["title": "b"])]
    let new = try fixture.open(ModelVersions.second)
    try new.batchUpdate("Item", set: ["rating": 1], by: BatchAuthor("new"))
    for (store, id) in zip(try olds(), ids) {
      let version = try store.rows(1, sortedKeys: [id.key]).versions[0]
      try store.save(
        [ObjectEdit(.update, id, columns: 0b01, version: version, values: ["c"])],
        .overwrite
      )
      #expect(try new.values(of: id) == ["rating": 1, "headline": "c", "count": .null])
      #expect(try store.values(of: id) == ["title": "c", "count": .null])
    }
    #expect(
      try new.history().suffix(2) == [
        "#5 update Item/1 [\"headline\"]", "#6 update Item/2 [\"headline\"]",
      ]
    )
  }

  @Test func `An older program's insert gets the default of an unknown attribute`() throws {
    let new = try fixture.open(ModelVersions.second)
    for store in try olds() {
      let id = try store.insert("Item", ["title": "a"])
      #expect(try new.values(of: id) == ["rating": 5, "headline": "a", "count": .null])
      let saved = try store.makeObjectID("Item")
      try store.save([ObjectEdit(.insert, saved, values: ["b", 1])])
      #expect(try new.values(of: saved) == ["rating": 5, "headline": "b", "count": 1])
      #expect(try store.insert("Tag", ["name": "t"]).entity == 2)
    }
  }

  @Test func `An older program's delete preserves the values of unknown attributes`() throws {
    var ids: [ObjectID] = []
    for number in 0..<8 { ids.append(try old.insert("Item", ["title": .string("t\(number)")])) }
    let new = try fixture.open(ModelVersions.second)
    let token = try new.currentToken()
    for (index, store) in try olds().enumerated() {
      let mine = ids[(4 * index)..<(4 * index + 4)].map { $0 }
      let version = try store.rows(1, sortedKeys: [mine[0].key]).versions[0]
      try store.save([ObjectEdit(.delete, mine[0], version: version)])
      try store.batchDelete(
        "Item",
        where: .compare("title", .equal, .string("t\(4 * index + 1)")),
        by: BatchAuthor("old")
      )
      var rest = mine[2...]
      try store.batchDelete("Item", by: BatchAuthor("old")) { rest.popFirst() }
    }
    let deletes = try new.history(after: token)
    #expect(deletes.count == 8)
    for (number, delete) in deletes.enumerated() {
      #expect(delete.hasSuffix("[\"headline=\\\"t\(number)\\\"\", \"rating=5\"]"), "\(delete)")
    }
    #expect(
      try old.history(after: token).last == "#15 delete Item/8 [\"title=\\\"t7\\\"\"]"
    )
  }

  @Test func `An older program reads history past the upgrade, and its tokens stay valid`() throws {
    let id = try old.insert("Item", ["title": "a"])
    let token = try old.currentToken()
    let new = try fixture.open(ModelVersions.second)
    try new.insert("Note", ["text": "n"])
    try new.batchUpdate("Item", set: ["rating": 1, "count": 4], by: BatchAuthor("new"))
    try new.batchDelete("Item", by: BatchAuthor("new"))
    #expect(
      try old.history(after: token) == [
        "#2 model 2", "#3 insert ?/1", "#4 update Item/\(id.key) [\"count\", \"#2\"]",
        "#5 delete Item/\(id.key) [\"title=\\\"a\\\"\"]",
      ]
    )
    let reopened = try fixture.open(ModelVersions.first)
    #expect(
      try reopened.history(after: token) == [
        "#2 model 2", "#3 insert Note/1", "#4 update Item/\(id.key) [\"count\", \"rating\"]",
        "#5 delete Item/\(id.key) [\"rating=1\", \"title=\\\"a\\\"\"]",
      ]
    )
  }

  @Test func `A file that a newer program created is open to an older one`() throws {
    var other = try StoreFixture()
    other.configuration = fixture.configuration
    let new = try other.open(ModelVersions.second)
    let id = try new.insert("Item", ["rating": 3, "headline": "a", "count": 7])
    try new.insert("Note", ["text": "n"])
    let old = try other.open(ModelVersions.first)
    #expect(old.model.entities.map(\.isDeclared) == [true, false, true])
    #expect(old.model.entities[0].attributes.map(\.name) == ["title", "count"])
    #expect(try old.values(of: id) == ["title": "a", "count": 7])
    #expect(try old.snapshot().rows.map(\.entity) == [1, 3])
    #expect(try old.insert("Tag", ["name": "t"]).entity == 3)
    try old.batchUpdate("Item", set: ["count": 8], by: BatchAuthor("old"))
    try old.batchDelete("Item", by: BatchAuthor("old"))
    #expect(throws: HistoryError.unknownEntity("Note", in: old.model)) {
      try old.insert("Note")
    }
    #expect(throws: HistoryError.unknownAttribute("rating", of: old.model.entities[0])) {
      try old.insert("Item", ["rating": 1])
    }
    #expect(
      try new.history() == [
        "#1 insert Item/1", "#2 insert Note/1", "#3 insert Label/1",
        "#4 update Item/1 [\"count\"]",
        "#5 delete Item/1 [\"headline=\\\"a\\\"\", \"rating=3\"]",
      ]
    )
    #expect(
      try old.history().suffix(2) == [
        "#4 update Item/1 [\"count\"]", "#5 delete Item/1 [\"rating=3\", \"title=\\\"a\\\"\"]",
      ]
    )
  }

  @Test func `An older program reads a value that a widened type allows as null, and keeps it`()
    throws
  {
    let id = try old.insert("Item", ["title": "a", "count": 3])
    let new = try fixture.open(ModelVersions.third)
    #expect(try new.values(of: id)["count"] == 3.0)
    try new.batchUpdate("Item", set: ["count": 2.5], by: BatchAuthor("new"))
    for store in try olds() {
      #expect(try store.values(of: id)["count"] == .null)
      try store.save(
        [ObjectEdit(.update, id, columns: 1, version: 0, values: ["b"], base: ["a", .null])],
        .overwrite
      )
      #expect(try new.values(of: id)["count"] == 2.5)
    }
    try new.batchUpdate("Item", set: ["count": 4.0], by: BatchAuthor("new"))
    #expect(try old.values(of: id)["count"] == 4)
  }

  @Test func `An older program finds a former name that a newer one gave to a new attribute`()
    throws
  {
    let id = try old.insert("Item", ["title": "a", "count": 3])
    let new = try fixture.open(ModelVersions.third)
    for store in try olds() {
      #expect(try store.values(of: id)["title"] == "a")
      try store.batchUpdate("Item", set: ["title": "b"], by: BatchAuthor("old"))
      #expect(try new.values(of: id)["headline"] == "b")
      try store.batchUpdate("Item", set: ["title": "a"], by: BatchAuthor("old"))
    }
    #expect(try new.values(of: id)["title"] == true)
  }

  @Test func `A newer file without an attribute that an older program needs is refused unchanged`()
    throws
  {
    let other = try StoreFixture()
    _ = try other.open(Model([Entity("Item", [Attribute("count", .int)])], version: 2))
    let before = try other.folder.contents()
    let error = try #require(throws: HistoryError.self) { try other.open(ModelVersions.first) }
    #expect(error.code == .newerModel)
    #expect(try #require(error.modelVersions) == (2, 1))
    #expect(
      error.modelDifferences == [
        .removedAttribute(entity: "Item", attribute: "title"), .removedEntity("Tag"),
      ]
    )
    #expect(try other.folder.contents() == before)
  }

  @Test func `A copy of an upgraded history keeps its numbers`() throws {
    try old.insert("Item", ["title": "a", "count": 1])
    let new = try fixture.open(ModelVersions.second)
    try new.batchUpdate("Item", set: ["rating": 1], by: BatchAuthor("new"))
    try new.batchDelete("Item", by: BatchAuthor("new"))
    for layout in HistoryLayout.allCases {
      let path = fixture.folder.path("copy-\(layout)")
      _ = try new.convert(to: path, layout: layout)
      #expect(try Store(reading: path).history() == new.history())
      let reopened = try fixture.open(ModelVersions.first)
      #expect(try Store(path: path, model: ModelVersions.first).history() == reopened.history())
    }
  }
}
