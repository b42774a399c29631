import Foundation
import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import TestSupport
import Testing

@Suite(.inEveryLayout) struct `A required attribute` {
  let fixture: StoreFixture
  let store: Store

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open(try Self.model())
  }

  /// A model with a required title, a required count with a default value, and a note.
  static func model(
    isOptional: Bool = false,
    more: [Attribute] = [],
    version: Int = 1
  ) throws -> Model {
    let item = Entity(
      "Item",
      [
        Attribute("title", .string, isOptional: isOptional),
        Attribute("count", .int, isOptional: false, defaultValue: 1), Attribute("note", .string),
      ] + more,
      indexes: [["note"]]
    )
    return try Model([item], version: version)
  }

  private func missing(_ key: Int64?, _ attribute: String = "title") -> HistoryError {
    .missingValue(
      key.map { ObjectID(entity: 1, key: $0) },
      entity: "Item",
      attribute: attribute
    )
  }

  @Test func `A save without a value is refused, and names the object and the attribute`() throws {
    let id = try store.makeObjectID("Item")
    let error = #expect(throws: missing(id.key)) {
      try store.save([ObjectEdit(.insert, id, values: [.null, 1, .null])])
    }
    #expect(error?.code == .missingValue && error?.objects == [id])
    #expect(
      error?.description == "Item/1 has no value for the required attribute \"title\"; nothing was "
        + "written. Set title to a value, or give it a default value in the model."
    )
    try store.save([ObjectEdit(.insert, id, values: ["a", 1, .null])])
    #expect(throws: missing(id.key)) {
      try store.save([ObjectEdit(.update, id, columns: 1, version: 1, values: [.null])])
    }
    #expect(throws: missing(id.key, "count")) {
      try store.save([ObjectEdit(.update, id, columns: 0b11, version: 1, values: ["b", .null])])
    }
    for policy in [MergePolicy.objectWins, .overwrite] {
      #expect(throws: missing(id.key)) {
        try store.save([ObjectEdit(.update, id, columns: 1, values: [.null])], policy)
      }
    }
    #expect(try store.values(of: id) == ["title": "a", "count": 1, "note": .null])
    #expect(try store.numbers() == [1])
  }

  @Test func `Batches without a value are refused and change nothing`() throws {
    let by = BatchAuthor("app")
    #expect(throws: missing(2)) {
      try store.batchInsert(into: "Item", [["title": "a"], ["note": "b"]], by: by)
    }
    #expect(throws: missing(2, "count")) {
      try store.batchInsert(
        into: "Item",
        [["title": "a"], ["title": "b", "count": .null]],
        by: by
      )
    }
    let id = try store.insert("Item", ["title": "a", "note": "n"])
    let error = #expect(throws: missing(nil)) {
      try store.batchUpdate("Item", set: ["note": "x", "title": .null], by: by)
    }
    #expect(error?.message.hasPrefix("A batch update of Item has no value for") == true)
    for value in [Value?.none, .null] {
      var rest = [id][...]
      #expect(throws: missing(id.key)) {
        try store.batchUpdate("Item", setting: ["title"], by: by) { row in
          guard let id = rest.popFirst() else { return nil }
          if let value { row.set(value, at: 0) }
          return id
        }
      }
    }
    var rest = [id][...]
    try store.batchUpdate("Item", setting: ["note"], by: by) { _ in rest.popFirst() }
    #expect(try store.values(of: id) == ["title": "a", "count": 1, "note": .null])
  }

  @Test func `A program with plain SQL cannot leave out a value`() throws {
    let id = try store.insert("Item", ["title": "a"])
    for sql in [
      "INSERT INTO Item(note) VALUES('x')", "UPDATE Item SET title = NULL",
      "UPDATE Item SET count = NULL", "INSERT INTO Item(title, count) VALUES('b', NULL)",
    ] {
      #expect(throws: SQLiteError.self) { try fixture.execute(sql) }
    }
    try fixture.execute("INSERT INTO Item(_key, title) VALUES(9, 'b')")
    #expect(try store.values(of: ObjectID(entity: 1, key: 9))["count"] == 1)
    #expect(try store.values(of: id)["title"] == "a")
  }

  @Test func `A new required attribute with a default value needs no migration`() throws {
    let id = try store.insert("Item", ["title": "a"])
    let rank = Attribute("rank", .int, isOptional: false, defaultValue: 7)
    let newer = try fixture.open(try Self.model(more: [rank], version: 2))
    #expect(try newer.values(of: id)["rank"] == 7)
    let refused = #expect(throws: HistoryError.self) {
      try newer.batchInsert(into: "Item", [["title": "b", "rank": .null]], by: BatchAuthor("app"))
    }
    #expect(refused?.message.contains("for the required attribute \"rank\";") == true)
    // The program with the older model inserts the default value.
    let other = try store.insert("Item", ["title": "c"])
    #expect(try newer.values(of: other)["rank"] == 7)
    #expect(throws: SQLiteError.self) { try fixture.execute("UPDATE Item SET rank = NULL") }
  }

  @Test func `An attribute becomes required by a migration that computes missing values`() throws {
    let other = try StoreFixture()
    let old = try other.open(try Self.model(isOptional: true))
    let ids = [try old.insert("Item", ["title": "a"]), try old.insert("Item", ["note": "n"])]
    let newer = try Self.model(version: 2)
    let refused = try #require(throws: HistoryError.self) { try other.open(newer) }
    #expect(refused.code == .migrationNeeded)
    #expect(refused.modelDifferences == [.madeRequired(entity: "Item", attribute: "title")])
    let before = try other.folder.contents()
    #expect(throws: missing(ids[1].key)) {
      try Store.migrate(path: other.path, to: newer, configuration: other.configuration)
    }
    #expect(try other.folder.contents().count == before.count && old.model.version == 1)
    try other.execute(
      "CREATE INDEX own ON Item(count); CREATE VIEW titles AS SELECT title FROM Item"
    )
    try Store.migrate(
      path: other.path,
      to: newer,
      configuration: other.configuration,
      computing: ["Item": { if $0["title"] == .null { try $0.set("none", for: "title") } }]
    )
    let store = try other.open(newer)
    #expect(try ids.map { try store.values(of: $0)["title"] } == ["a", "none"])
    #expect(try store.history().suffix(1) == ["#3 model 2"])
    #expect(throws: SQLiteError.self) { try other.execute("UPDATE Item SET title = NULL") }
    // A program that has the file open with the older model gets the same error.
    #expect(throws: HistoryError.self) { try old.insert("Item", ["note": "x"]) }
    #expect(try store.integrityProblem() == nil && store.rows(1).keys == ids.map(\.key))
    let kept =
      "SELECT count(*) FROM sqlite_schema WHERE name IN ('own', 'history_index_1_2', 'titles')"
    #expect(try other.connection().integer(kept) == 3)
    #expect(try other.connection().integer("SELECT count(*) FROM titles") == 2)
    #expect(throws: HistoryError.self) { try other.open(try Self.model(isOptional: true)) }
  }

  @Test func `A new required attribute without a default value is computed`() throws {
    let id = try store.insert("Item", ["title": "a"])
    let newer = try Self.model(more: [Attribute("code", .string, isOptional: false)], version: 2)
    #expect(throws: missing(id.key, "code")) {
      try Store.migrate(path: fixture.path, to: newer, configuration: fixture.configuration)
    }
    #expect(throws: missing(id.key, "code")) {
      try Store.migrate(
        path: fixture.path,
        to: newer,
        configuration: fixture.configuration,
        computing: ["Item": { try $0.set(.null, for: "code") }]
      )
    }
    try Store.migrate(
      path: fixture.path,
      to: newer,
      configuration: fixture.configuration,
      computing: ["Item": { try $0.set("x", for: "code") }]
    )
    let migrated = try fixture.open(newer)
    #expect(try migrated.values(of: id)["code"] == "x" && migrated.model == newer)
  }

  @Test func `An attribute becomes optional when a newer model is opened`() throws {
    let id = try store.insert("Item", ["title": "a", "note": "n"])
    let newer = try fixture.open(try Self.model(isOptional: true, version: 2))
    let other = try newer.insert("Item", ["note": "x"])
    #expect(try newer.values(of: other)["title"] == .null)
    #expect(try store.values(of: id) == ["title": "a", "count": 1, "note": "n"])
    // The program with the older model no longer refuses what the file allows.
    try store.batchUpdate("Item", set: ["title": .null], by: BatchAuthor("app"))
    #expect(try newer.integrityProblem() == nil)
    try fixture.execute("UPDATE Item SET title = NULL")
  }

  @Test func `Captured writes of other programs survive the copy of a table`() throws {
    var watched = try StoreFixture()
    watched.configuration.foreignWrites = .captured
    let old = try watched.open(try Self.model())
    try watched.execute("INSERT INTO Item(title) VALUES('shell')")
    let newer = try watched.open(try Self.model(isOptional: true, version: 2))
    try watched.execute("INSERT INTO Item(note) VALUES('later')")
    #expect(try newer.history() == ["#1 insert Item/1", "#2 model 2", "#3 insert Item/2"])
    #expect(try watched.connection().integer("PRAGMA user_version") == 4)
    #expect(try old.rows(1).keys == [1, 2])
  }
}
