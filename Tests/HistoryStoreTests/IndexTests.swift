import Foundation
import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import TestSupport
import Testing

@Suite(.inEveryLayout) struct `An index of the model` {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  /// A model whose entity `Item` has some indexes.
  private func model(
    _ indexes: [[ObjectOrder]],
    version: Int = 1,
    title: String = "title"
  ) throws -> Model {
    let item = Entity(
      "Item",
      [
        Attribute(title, .string, renamingIdentifier: "title"), Attribute("count", .int),
        Attribute("due", .date),
      ],
      indexes: indexes
    )
    return try Model([item, Entity("Tag", [Attribute("name", .string)])], version: version)
  }

  /// The indexes of the file that belong to the model, as SQL after the name.
  private func indexes() throws -> [String] {
    let query = try Statement(
      try fixture.connection(),
      "SELECT name || ' ' || substr(sql, instr(sql, ' ON ') + 4) FROM sqlite_schema "
        + "WHERE type = 'index' AND name GLOB 'history_index_*' ORDER BY name"
    )
    var found: [String] = []
    while try query.step() { found.append(query.text(0) ?? "") }
    return found
  }

  @Test func `A new store has the indexes of its model`() throws {
    let wanted = try model([
      ["due"], [.descending("count"), .ascending("title", collation: .caseInsensitive)],
    ])
    let store = try fixture.open(wanted)
    #expect(
      try indexes() == [
        #"history_index_1_1d_0n "Item"("count" DESC, "title" COLLATE NOCASE)"#,
        #"history_index_1_2 "Item"("due")"#,
      ]
    )
    #expect(store.model == wanted)
    #expect(try Store(path: fixture.path, configuration: fixture.configuration).model == wanted)
    #expect(try fixture.connection().integer("PRAGMA user_version") == 4)
  }

  @Test func `A newer model adds and drops indexes when the store is opened`() throws {
    let old = try fixture.open(try model([]))
    #expect(try fixture.connection().integer("PRAGMA user_version") == 1)
    let ids = try (1...3).map { try old.insert("Item", ["title": .string("t\($0)")]) }
    let store = try fixture.open(try model([["due"], ["title"]], version: 2))
    #expect(try indexes().map { $0.prefix(17) } == ["history_index_1_0", "history_index_1_2"])
    #expect(try fixture.connection().integer("PRAGMA user_version") == 4)
    #expect(try store.history().last == "#4 model 2")
    let later = try fixture.open(try model([["title"], ["count", "due"]], version: 3))
    #expect(try indexes().map { $0.prefix(19) } == ["history_index_1_0 \"", "history_index_1_1_2"])
    #expect(try later.values(of: ids[2])["title"] == "t3")
    #expect(try later.integrityProblem() == nil)
  }

  @Test func `Programs with the older model write what the indexes contain`() throws {
    let old = try fixture.open(try model([]))
    _ = try old.insert("Item", ["title": "a"])
    let new = try fixture.open(try model([["title"]], version: 2))
    let id = try old.insert("Item", ["title": "b"])
    #expect(try old.modelSkew()?.differences == [.addedIndex(entity: "Item", ["title"])])
    #expect(try new.rows(1, where: .compare("title", .equal, "b")).keys == [id.key])
    #expect(try fixture.open(try model([])).rows(1).keys.count == 2)
    #expect(try new.integrityProblem() == nil)
  }

  @Test func `An index stays when its attribute is renamed`() throws {
    _ = try fixture.open(try model([["title"]]))
    let renamed = try model([["headline"]], version: 2, title: "headline")
    #expect(renamed.differences(from: try model([["title"]])).count == 1)
    let store = try fixture.open(renamed)
    #expect(try indexes() == [#"history_index_1_0 "Item"("title")"#])
    #expect(try Store(path: fixture.path, configuration: fixture.configuration).model == renamed)
    #expect(try store.integrityProblem() == nil)
  }

  @Test func `A migration drops the index of a removed attribute`() throws {
    let id = try fixture.open(try model([["count"], ["title"]])).insert("Item", ["title": "a"])
    let smaller = try Model(
      [Entity("Item", [Attribute("title", .string)], indexes: [[.descending("title")]])],
      version: 2
    )
    let result = try Store.migrate(
      path: fixture.path,
      to: smaller,
      configuration: fixture.configuration
    )
    #expect(result?.differences.contains(.removedIndex(entity: "Item", ["count"])) == true)
    #expect(try indexes() == [#"history_index_1_0d "Item"("title" DESC)"#])
    #expect(try fixture.open(smaller).values(of: id) == ["title": "a"])
  }

  @Test func `An index changes nothing in history, and a failed one leaves no trace`() throws {
    _ = try fixture.open(try model([]))
    try fixture.execute("CREATE TABLE history_index_1_0(x)")
    #expect(throws: HistoryError.self) { try fixture.open(try model([["title"]], version: 2)) }
    let store = try fixture.open(try model([]))
    #expect(try store.model.version == 1 && store.history().isEmpty)
    #expect(try store.modelSkew() == nil && indexes() == [])
  }
}
