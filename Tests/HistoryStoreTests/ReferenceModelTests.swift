import Foundation
import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import Testing

@Suite(.inEveryLayout) struct `References in a model` {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  private static let list = Entity("List", [Attribute("name", .string)])

  private static func model(
    _ version: Int = 1,
    _ entities: [Entity] = [list],
    item attributes: [Attribute]
  ) throws -> Model {
    try Model(entities + [Entity("Item", attributes)], version: version)
  }

  private static let toList = Attribute("list", to: "List")

  @Test func `A model with an impossible reference is refused`() throws {
    let error = #expect(throws: ModelError.self) {
      try Self.model(item: [Attribute("list", to: "Lists")])
    }
    #expect(
      error?.description == "\"Item.list\" refers to the entity \"Lists\", which the model lacks. "
        + "Did you mean \"List\"?"
    )
  }

  @Test func `A required reference cannot become null by a rule`() throws {
    let error = #expect(throws: ModelError.self) {
      try Self.model(item: [Attribute("list", to: "List", isOptional: false)])
    }
    #expect(error == .requiredNullified("Item.list"))
    let model = try Self.model(
      item: [Attribute("list", to: "List", deleteRule: .cascade, isOptional: false)]
    )
    let store = try fixture.open(model)
    #expect(throws: HistoryError.self) { try store.insert("Item") }
    let list = try store.insert("List")
    try store.insert("Item", ["list": Value(referringTo: list)])
    try store.batchDelete("List", by: BatchAuthor("app"))
    #expect(try store.rows(2).keys.isEmpty)
  }

  @Test func `The file has a foreign key and an index, and a format that older programs refuse`()
    throws
  {
    let model = try Self.model(item: [Self.toList])
    let store = try fixture.open(model)
    let id = try store.insert("List")
    try store.insert("Item", ["list": Value(referringTo: id)])
    let connection = try fixture.connection()
    #expect(try connection.integer("PRAGMA user_version") == 4)
    let plan = try connection.text(
      "SELECT detail FROM pragma_table_info('Item') JOIN "
        + "(SELECT name AS detail FROM sqlite_master WHERE tbl_name = 'Item' AND type = 'index')"
    )
    #expect(plan == "history_index_2_0")
    try connection.execute("PRAGMA foreign_keys=ON")
    let failure = #expect(throws: SQLiteError.self) {
      try connection.execute("DELETE FROM \"List\"")
    }
    #expect(failure?.code == 787)
    #expect(try store.verify().filter(\.isWrong).isEmpty)
    #expect(try fixture.open(model).model == store.model)
  }

  @Test func `A model without references stays in the format of before`() throws {
    _ = try fixture.open(ModelVersions.first)
    #expect(try fixture.connection().integer("PRAGMA user_version") == 1)
  }

  @Test func `Opening with a newer model adds a reference, and the older program obeys its rule`()
    throws
  {
    let older = try fixture.open(try Self.model(item: [Attribute("title", .string)]))
    let list = try older.insert("List", ["name": "a"])
    let newer = try fixture.open(
      try Self.model(
        2,
        item: [
          Attribute("title", .string), Attribute("list", to: "List", deleteRule: .nullify),
        ]
      )
    )
    let item = try newer.insert("Item", ["title": "x", "list": Value(referringTo: list)])
    let start = try newer.currentToken()
    try older.save([ObjectEdit(.delete, list, version: 1)])
    #expect(try newer.values(of: item) == ["title": "x", "list": .null])
    #expect(
      try newer.history(after: start) == [
        "#4 delete List/1", "#4 update Item/1 [\"list\"]",
      ]
    )
    #expect(try fixture.connection().integer("PRAGMA user_version") == 4)
    #expect(try newer.verify().filter(\.isWrong).isEmpty)
  }

  @Test func `A cascade of a newer program reaches entities that the older one does not know`()
    throws
  {
    let older = try fixture.open(try Model([Self.list]))
    let list = try older.insert("List", ["name": "a"])
    let newer = try fixture.open(
      try Model(
        [
          Self.list,
          Entity(
            "Note",
            [
              Attribute("text", .string, preservesValueInHistoryOnDeletion: true),
              Attribute("list", to: "List", deleteRule: .cascade),
            ]
          ),
        ],
        version: 2
      )
    )
    try newer.insert("Note", ["text": "t", "list": Value(referringTo: list)])
    let start = try newer.currentToken()
    try older.batchDelete("List", by: BatchAuthor("old"))
    #expect(
      try newer.history(after: start) == [
        "#4 delete List/1", "#4 delete Note/1 [\"text=\\\"t\\\"\"]",
      ]
    )
  }

  @Test func `A changed delete rule needs no migration, a changed reference does`() throws {
    let first = try Self.model(item: [Self.toList])
    let cascading = try Self.model(2, item: [Attribute("list", to: "List", deleteRule: .cascade)])
    let plain = try Self.model(2, item: [Attribute("list", .int)])
    #expect(
      cascading.differences(from: first).map(\.description) == [
        "the delete rule of Item.list was changed from nullify to cascade"
      ]
    )
    #expect(cascading.differences(from: first).map(\.isLightweight) == [true])
    #expect(
      plain.differences(from: first).map(\.description) == [
        "Item.list was changed from a reference to List to none"
      ]
    )
    #expect(plain.differences(from: first).map(\.isLightweight) == [false])
    let renamed = try Self.model(
      2,
      [Entity("Folder", [Attribute("name", .string)], renamingIdentifier: "List")],
      item: [Attribute("list", to: "Folder")]
    )
    #expect(renamed.differences(from: first) == [.renamedEntity(from: "List", to: "Folder")])
    let list = try fixture.open(first).insert("List")
    try fixture.open(first).insert("Item", ["list": Value(referringTo: list)])
    let store = try fixture.open(cascading)
    try store.batchDelete("List", by: BatchAuthor("app"))
    #expect(try store.rows(2).keys.isEmpty)
  }

  @Test func `A file does not record the order of a reference`() throws {
    let attributes = [
      Attribute("list", to: "List", deleteRule: .cascade, orderedBy: "position"),
      Attribute("position", .double),
    ]
    let model = try Self.model(item: attributes)
    let stored = StoredModel(model)
    #expect(StoredModel(text: stored.text) == stored)
    let reference = stored.live.entities[1].attributes[0].reference
    #expect(reference == Reference(to: "List", deleteRule: .cascade))
    #expect(stored.live.differences(from: model).isEmpty)
    #expect(model.differences(from: stored.live).isEmpty)
    let store = try fixture.open(model)
    #expect(store.model.entities[1].attributes[0].reference?.orderedBy == "position")
    let data = try JSONEncoder().encode(model)
    #expect(try JSONDecoder().decode(Model.self, from: data) == model)
  }

  @Test func `A renamed entity keeps its references`() throws {
    let list = try fixture.open(try Self.model(item: [Self.toList])).insert("List")
    let store = try fixture.open(
      try Self.model(
        2,
        [Entity("Folder", [Attribute("name", .string)], renamingIdentifier: "List")],
        item: [Attribute("list", to: "Folder")]
      )
    )
    let item = try store.insert("Item", ["list": Value(referringTo: list)])
    try store.batchDelete("Folder", by: BatchAuthor("app"))
    #expect(try store.values(of: item) == ["list": .null])
  }

  @Test func `A migration removes a reference, and the entity that it refers to`() throws {
    let first = try Self.model(item: [Attribute("title", .string), Self.toList])
    let item = try {
      let store = try fixture.open(first)
      let list = try store.insert("List", ["name": "a"])
      return try store.insert("Item", ["title": "x", "list": Value(referringTo: list)])
    }()
    let wanted = try Model([Entity("Item", [Attribute("title", .string)])], version: 2)
    try Store.migrate(path: fixture.path, to: wanted, configuration: fixture.configuration)
    let store = try fixture.open(wanted)
    #expect(try store.values(of: item) == ["title": "x"])
    try store.insert("Item", ["title": "y"])
    try store.batchDelete("Item", by: BatchAuthor("app"))
    #expect(try store.integrityProblem() == nil)
    #expect(try store.verify().filter(\.isWrong).isEmpty)
    let third = try Self.model(3, item: [Attribute("title", .string), Self.toList])
    try Store.migrate(path: fixture.path, to: third, configuration: fixture.configuration)
    let last = try fixture.open(third)
    let list = try last.insert("List")
    try last.insert("Item", ["list": Value(referringTo: list)])
    #expect(throws: HistoryError.self) {
      try last.insert("Item", ["list": Value(referringTo: ObjectID(entity: list.entity, key: 99))])
    }
  }

  @Test func `A store without history applies the rules, too`() throws {
    var configuration = fixture.configuration
    configuration.tracksHistory = false
    let store = try Store(
      path: fixture.path,
      model: try Self.model(item: [Self.toList]),
      configuration: configuration
    )
    let list = try store.insert("List")
    let item = try store.insert("Item", ["list": Value(referringTo: list)])
    #expect(try store.batchDelete("List", by: BatchAuthor("app")).count == 2)
    #expect(try store.values(of: item) == ["list": .null])
  }
}
