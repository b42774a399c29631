import Foundation
import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import TestSupport
import Testing

@Suite(.inEveryLayout) struct `A newer model` {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  @Test func `The models of these tests are valid`() throws {
    for model in ModelVersions.all + [`A migration`.wanted] {
      #expect(try Model(model.entities, version: model.version) == model)
    }
  }

  @Test func `Opening a store with a newer model applies its lightweight differences`() throws {
    let (id, tag, token) = try {
      let store = try fixture.open(ModelVersions.first)
      let id = try store.insert("Item", ["title": "milk", "count": 2])
      return (id, try store.insert("Tag", ["name": "x"]), try store.currentToken())
    }()
    let store = try fixture.open(ModelVersions.second)
    #expect(store.model.version == 2)
    #expect(try store.values(of: id) == ["rating": 5, "headline": "milk", "count": 2])
    #expect(store.model.entities.map(\.name) == ["Item", "Label", "Note"])
    #expect(try store.values(of: tag) == ["name": "x"])
    #expect(try store.insert("Note", ["text": "new"]) == ObjectID(entity: 3, key: 1))
    #expect(try store.history(after: token) == ["#3 model 2", "#4 insert Note/1"])
    #expect(try store.integrityProblem() == nil)
    #expect(try store.verify().filter(\.isWrong).isEmpty)
  }

  @Test func `History before the upgrade is read with the new names`() throws {
    try {
      let store = try fixture.open(ModelVersions.first)
      let ids = [try store.insert("Item", ["title": "a"]), try store.insert("Item")]
      try store.save([
        ObjectEdit(.update, ids[0], columns: 0b10, version: 1, values: [7]),
        ObjectEdit(.update, ids[1], columns: 0b11, version: 2, values: ["b", 8]),
      ])
      try store.save([ObjectEdit(.delete, ids[0], version: 3)])
    }()
    let store = try fixture.open(ModelVersions.second)
    #expect(
      try store.history() == [
        "#1 insert Item/1", "#2 insert Item/2", "#3 update Item/1 [\"count\"]",
        "#3 update Item/2 [\"headline\", \"count\"]",
        "#4 delete Item/1 [\"headline=\\\"a\\\"\"]", "#5 model 2",
      ]
    )
  }

  @Test func `Writes use the program's order of attributes, whatever the file's order is`() throws {
    _ = try fixture.open(ModelVersions.first)
    let store = try fixture.open(ModelVersions.second)
    var left = 3
    let ids = try store.batchInsert(into: "Item", by: BatchAuthor("app"), result: .objectIDs) {
      row in
      guard left > 0 else { return false }
      left -= 1
      row.set(left, at: 0)
      row.set("t\(left)", at: 1)
      return true
    }.objectIDs
    #expect(try store.values(of: ids[0]) == ["rating": 2, "headline": "t2", "count": .null])
    var rest = ids[...]
    try store.batchUpdate("Item", setting: ["headline"], by: BatchAuthor("app")) { row in
      guard let id = rest.popFirst() else { return nil }
      row.set("u", at: 1)
      return id
    }
    try store.batchUpdate(
      "Item",
      where: .compare("rating", .less, 1),
      set: ["rating": 9],
      by: BatchAuthor("app")
    )
    #expect(try store.values(of: ids[2]) == ["rating": 9, "headline": "u", "count": .null])
    try store.batchDelete("Item", where: .compare("headline", .equal, "u"), by: BatchAuthor("app"))
    #expect(
      try store.history().suffix(7) == [
        "#3 update Item/1 [\"headline\"]", "#3 update Item/2 [\"headline\"]",
        "#3 update Item/3 [\"headline\"]", "#4 update Item/3 [\"rating\"]",
        "#5 delete Item/1 [\"headline=\\\"u\\\"\", \"rating=2\"]",
        "#5 delete Item/2 [\"headline=\\\"u\\\"\", \"rating=1\"]",
        "#5 delete Item/3 [\"headline=\\\"u\\\"\", \"rating=9\"]",
      ]
    )
  }

  @Test func `Default values of every type are stored for existing and for new objects`() throws {
    let id = try fixture.open(ModelVersions.first).insert("Item")
    let code = UUID()
    let added: [String: Value] = [
      "i": .int(.min), "d": -2.5e-300, "s": "it's \"5\"; %\n", "b": .data(Data([0, 255])),
      "t": .date(Date(timeIntervalSinceReferenceDate: -7)), "f": true, "u": .uuid(code),
    ]
    let attributes = added.sorted { $0.key < $1.key }.map { name, value in
      Attribute(name, value.type ?? .int, defaultValue: value)
    }
    let item = ModelVersions.first.entities[0]
    let newer = try Model(
      [Entity("Item", item.attributes + attributes), ModelVersions.first.entities[1]],
      version: 2
    )
    let store = try fixture.open(newer)
    let other = try store.insert("Item", ["title": "x", "i": .null])
    for (name, value) in added {
      #expect(try store.values(of: id)[name] == value)
      #expect(try store.values(of: other)[name] == (name == "i" ? .null : value))
    }
    #expect(try fixture.open(newer).model == newer)
    #expect(try Store(path: fixture.path, configuration: fixture.configuration).model == newer)
  }

  @Test func `A program notices a newer model whose tables are the same`() throws {
    func model(_ version: Int) throws -> Model {
      let title = Attribute("title", .string, preservesValueInHistoryOnDeletion: version == 2)
      return try Model([Entity("Item", [title])], version: version)
    }
    let old = try fixture.open(try model(1))
    let id = try old.insert("Item", ["title": "a"])
    _ = try fixture.open(try model(2))
    try old.save([ObjectEdit(.delete, id, version: 1)])
    #expect(try old.history().last == "#3 delete Item/1 [\"title=\\\"a\\\"\"]")
  }

  @Test func `An upgrade by one of two programs is enough`() throws {
    _ = try fixture.open(ModelVersions.first)
    let stores = [try fixture.open(ModelVersions.second), try fixture.open(ModelVersions.second)]
    #expect(try stores[1].history() == ["#1 model 2"])
    let last = try fixture.open(ModelVersions.third)
    #expect(try last.history() == ["#1 model 2", "#2 model 3"])
    #expect(try stores[0].history() == ["#1 model 2", "#2 model 3"])
  }

  @Test func `A store is upgraded over several versions at once`() throws {
    let id = try fixture.open(ModelVersions.first).insert("Item", ["title": "a", "count": 1])
    let store = try fixture.open(ModelVersions.third)
    #expect(
      try store.values(of: id) == ["title": true, "rating": 5, "headline": "a", "count": 1.0]
    )
  }

  @Test func `A changed model with the version of the file is refused with the differences`() throws
  {
    _ = try fixture.open(ModelVersions.first)
    let changed = try Model(ModelVersions.second.entities)
    let error = try #require(throws: HistoryError.self) { try fixture.open(changed) }
    #expect(error.code == .otherModel)
    #expect(error.modelDifferences == changed.differences(from: ModelVersions.first))
    #expect(error.description.contains("Item.rating was added with the default 5"))
    #expect(error.suggestion == "Give the changed model a higher version.")
  }

  @Test func `A model that removes or retypes an attribute needs a migration`() throws {
    _ = try fixture.open(ModelVersions.first)
    let newer = try Model(
      [Entity("Item", [Attribute("title", .int)]), Entity("Tag", [Attribute("name", .string)])],
      version: 2
    )
    let before = try fixture.folder.contents()
    let error = try #require(throws: HistoryError.self) { try fixture.open(newer) }
    #expect(error.code == .migrationNeeded)
    #expect(try #require(error.modelVersions) == (1, 2))
    #expect(
      error.modelDifferences == [
        .retypedAttribute(entity: "Item", attribute: "title", from: .string, to: .int),
        .removedAttribute(entity: "Item", attribute: "count"),
      ]
    )
    #expect(try fixture.folder.contents() == before)
  }

  @Test func `More attributes than a bitmap has bits are refused`() throws {
    let many = (0..<63).map { Attribute("a\($0)", .int) }
    let narrow = try Model([Entity("Item", many)])
    _ = try fixture.open(narrow)
    let full = try Model([Entity("Item", many + [Attribute("b", .int)])], version: 2)
    _ = try fixture.open(full)
    let error = try #require(throws: HistoryError.self) {
      try fixture.open(Model([Entity("Item", many + [Attribute("c", .int)])], version: 3))
    }
    #expect(error.code == .migrationNeeded)
  }

  @Test func `A store without history is upgraded without a transaction`() throws {
    var untracked = fixture
    untracked.configuration.tracksHistory = false
    let id = try untracked.open(ModelVersions.first).insert("Item")
    let old = try untracked.open(ModelVersions.first)
    #expect(try untracked.open(ModelVersions.second).values(of: id)["rating"] == 5)
    #expect(try old.insert("Item", ["title": "b"]).key > id.key)
  }

  @Test func `A file of a plain model stays readable by older versions of the library`() throws {
    _ = try fixture.open(ModelVersions.first)
    #expect(try fixture.connection().integer("PRAGMA user_version") == 1)
    _ = try fixture.open(ModelVersions.second)
    #expect(try fixture.connection().integer("PRAGMA user_version") == 2)
  }
}
