import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import TestSupport
import Testing

/// A program that writes to the file with plain SQL.
final class PlainProgram {
  private let connection: Connection

  init(_ connection: consuming Connection) { self.connection = connection }

  func execute(_ sql: String) throws { try connection.execute(sql) }
  func integer(_ sql: String) throws -> Int64? { try connection.integer(sql) }
  func text(_ sql: String) throws -> String? { try connection.text(sql) }
}

@Suite(.inEveryLayout, .blocksItsThread) struct `Writes with plain SQL that are captured` {
  let fixture: StoreFixture
  let store: Store
  /// A connection of a program without this library.
  let stranger: PlainProgram

  init() throws {
    var fixture = try StoreFixture()
    fixture.configuration.foreignWrites = .captured
    self.fixture = fixture
    store = try fixture.open(ModelVersions.first)
    stranger = PlainProgram(try fixture.connection())
  }

  @Test func `An insert becomes a transaction without an author`() throws {
    try stranger.execute("INSERT INTO Item(title, count) VALUES('milk', 2)")
    #expect(try store.history() == ["#1 insert Item/1"])
    #expect(try store.values(of: ObjectID(entity: 1, key: 1)) == ["title": "milk", "count": 2])
    #expect(try store.fetch(HistoryRequest(after: nil)).transactions.first?.author == nil)
    #expect(try captured() == 0)
    #expect(try store.verify().filter(\.isWrong).isEmpty)
  }

  @Test func `An update names the columns whose values differ, and no change is invented`() throws {
    let id = try store.insert("Item", ["title": "milk", "count": 2])
    try stranger.execute("UPDATE Item SET title = 'milk', count = 3")
    try stranger.execute("UPDATE Item SET title = 'milk', count = 3")
    #expect(try store.history() == ["#1 insert Item/1", "#2 update Item/1 [\"count\"]"])
    #expect(try store.values(of: id)["count"] == 3)
  }

  @Test func `A delete keeps the preserved values`() throws {
    try store.insert("Item", ["title": "milk", "count": 2])
    try store.insert("Tag", ["name": "x"])
    try stranger.execute("DELETE FROM Item; DELETE FROM Tag")
    #expect(
      try store.history().dropFirst(2) == [
        "#3 delete Item/1 [\"title=\\\"milk\\\"\"]", "#3 delete Tag/1",
      ]
    )
  }

  @Test func `A delete keeps its values when the next insert takes its key and moves`() throws {
    try store.insert("Item", ["title": "milk", "count": 2])
    try stranger.execute("BEGIN; DELETE FROM Item; INSERT INTO Item(count) VALUES(3); COMMIT")
    let history = try store.history().dropFirst()
    #expect(
      history.contains { $0.contains("delete Item/1 [\"title=\\\"milk\\\"\"]") },
      "\(history)"
    )
  }

  @Test func `REPLACE by the same values is an update of all attributes`() throws {
    try store.insert("Item", ["title": "milk", "count": 2])
    try stranger.execute("REPLACE INTO Item(_key, title, count) VALUES(1, 'milk', 2)")
    #expect(try store.history().dropFirst() == ["#2 update Item/1 [\"title\", \"count\"]"])
  }

  @Test(arguments: ["_key", "rowid", "oid", "_rowid_"])
  func `A new key is a delete and an insert, by whatever name it is set`(_ name: String) throws {
    try store.insert("Item", ["title": "milk"])
    try stranger.execute("UPDATE Item SET \(name) = 900")
    let history = try store.history().dropFirst()
    #expect(
      history == ["#2 delete Item/1 [\"title=\\\"milk\\\"\"]", "#2 insert Item/900"],
      "\(history)"
    )
    #expect(throws: SQLiteError.self) { try stranger.execute("UPDATE Item SET \(name) = 1") }
  }

  @Test func `Changes that cancel out leave no transaction`() throws {
    try stranger.execute(
      "INSERT INTO Item(title) VALUES('a'); UPDATE Item SET count = 1; DELETE FROM Item"
    )
    #expect(try store.history() == [])
    #expect(try captured() == 0)
  }

  @Test func `REPLACE is an update of the values that differ, with and without recursive triggers`()
    throws
  {
    try store.insert("Item", ["title": "milk", "count": 2])
    try stranger.execute("REPLACE INTO Item(_key, title, count) VALUES(1, 'milk', 3)")
    #expect(try store.history().dropFirst() == ["#2 update Item/1 [\"count\"]"])
    try stranger.execute(
      """
      PRAGMA recursive_triggers = ON;
      INSERT OR REPLACE INTO Item(_key, title, count) VALUES(1, 'tea', 3)
      """
    )
    #expect(try store.history().dropFirst(2) == ["#3 update Item/1 [\"title\", \"count\"]"])
  }

  @Test func `An ignored or failed insert and an upsert record only the rows they changed`() throws
  {
    try store.insert("Item", ["title": "milk", "count": 2])
    try stranger.execute("INSERT OR IGNORE INTO Item(_key, title) VALUES(1, 'tea')")
    #expect(throws: SQLiteError.self) {
      try stranger.execute("INSERT INTO Item(_key, title) VALUES(1, 'tea')")
    }
    #expect(try store.history().count == 1)
    try stranger.execute(
      """
      INSERT INTO Item(_key, title) VALUES(1, 'tea')
      ON CONFLICT(_key) DO UPDATE SET title = excluded.title
      """
    )
    #expect(try store.history().dropFirst() == ["#2 update Item/1 [\"title\"]"])
  }

  @Test func `A change that is rolled back is not captured`() throws {
    try stranger.execute("BEGIN; INSERT INTO Item(title) VALUES('a'); ROLLBACK")
    try stranger.execute(
      """
      BEGIN; INSERT INTO Tag(name) VALUES('kept'); SAVEPOINT inner;
      INSERT INTO Tag(name) VALUES('not kept'); ROLLBACK TO inner; COMMIT
      """
    )
    #expect(try store.history() == ["#1 insert Tag/1"])
  }

  @Test func `Transactions stand in commit order, and no token passes captured changes`() throws {
    let other = try fixture.open(ModelVersions.first)
    try stranger.execute("INSERT INTO Tag(name) VALUES('a')")
    try store.insert("Item")
    try stranger.execute("INSERT INTO Tag(name) VALUES('b')")
    let token = try other.currentToken()
    try stranger.execute("INSERT INTO Tag(name) VALUES('c')")
    #expect(
      try store.history() == [
        "#1 insert Tag/1", "#2 insert Item/1", "#3 insert Tag/2", "#4 insert Tag/3",
      ]
    )
    #expect(token.number == 3)
    #expect(try other.history(after: token).count == 1)
  }

  @Test func `The author is the value that the program put into history_foreign_author`() throws {
    try stranger.execute(
      """
      BEGIN; UPDATE history_foreign_author SET author = 'importer';
      INSERT INTO Tag(name) VALUES('a'); INSERT INTO Tag(name) VALUES('b');
      UPDATE history_foreign_author SET author = NULL; COMMIT;
      INSERT INTO Tag(name) VALUES('c')
      """
    )
    let transactions = try store.fetch(HistoryRequest(after: nil)).transactions
    #expect(transactions.map(\.author) == ["importer", nil])
    #expect(transactions.map(\.changes.count) == [2, 1])
  }

  @Test func `Many changes become several transactions`() throws {
    try stranger.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
      INSERT INTO Tag(name) SELECT i FROM n
      """
    )
    let page = try store.fetch(HistoryRequest(after: nil, transactionCountMax: .max))
    #expect(page.transactions.map(\.changes.count) == [8192, 8192, 3616])
    #expect(try captured() == 0)
  }

  @Test func `A key is never that of another object, past or future`() throws {
    let made = try store.makeObjectID("Tag")
    try stranger.execute("INSERT INTO Tag(name) VALUES('a'), ('b')")
    try stranger.execute("DELETE FROM Tag WHERE name = 'b'; INSERT INTO Tag(name) VALUES('c')")
    try store.save([ObjectEdit(.insert, made, values: ["ours"])])
    let next = try store.makeObjectID("Tag")
    let names = try stranger.text("SELECT group_concat(name) FROM Tag") ?? ""
    #expect(names.split(separator: ",").sorted() == ["a", "c", "ours"])
    #expect(try stranger.integer("SELECT count(*) FROM Tag WHERE _key = \(next.key)") == 0)
    let inserted = try store.history().filter { $0.contains("insert") }
    #expect(Set(inserted.map { $0.drop { $0 != " " } }).count == 3)
  }

  @Test func `A key that was never used may be given, and a used one is refused`() throws {
    try stranger.execute("INSERT INTO Tag(_key, name) VALUES(500, 'a')")
    try stranger.execute("UPDATE Tag SET _key = 600 WHERE _key = 500")
    #expect(try store.history() == ["#1 insert Tag/600"])
    let error = #expect(throws: SQLiteError.self) {
      try stranger.execute("UPDATE Tag SET rowid = 5")
    }
    #expect(error?.message.contains("keys are never used again") == true)
    #expect(try store.insert("Tag").key > 600)
  }

  @Test func `A save that is based on an older row meets the conflict`() throws {
    let id = try store.insert("Item", ["title": "milk"])
    try stranger.execute("UPDATE Item SET title = 'tea'")
    let edit = ObjectEdit(.update, id, columns: 1, version: 1, values: ["water"])
    let error = #expect(throws: HistoryError.self) { try store.save([edit]) }
    #expect(error?.code == .conflict)
  }

  @Test func `Two stores write captured changes into history once`() throws {
    let other = try fixture.open(ModelVersions.first)
    try stranger.execute("INSERT INTO Tag(name) VALUES('a')")
    #expect(try other.currentToken() == store.currentToken())
    #expect(try other.history() == store.history())
    #expect(try other.history().count == 1)
  }

  @Test func `A read does not wait for a program that is writing`() throws {
    try stranger.execute("INSERT INTO Tag(name) VALUES('a')")
    try stranger.execute("BEGIN IMMEDIATE; INSERT INTO Tag(name) VALUES('b')")
    #expect(try store.history() == [])
    try stranger.execute("COMMIT")
    #expect(try store.history().count == 2)
  }

  @Test func `The store's own writes are not captured`() throws {
    let id = try store.insert("Item", ["title": "a"])
    try store.save([ObjectEdit(.delete, id, version: 1)])
    #expect(try captured() == 0)
    #expect(try store.history().count == 2)
  }

  @Test func `A newer model captures its new attributes`() throws {
    try store.insert("Item", ["title": "a"])
    try stranger.execute("UPDATE Item SET count = 1")
    let newer = try fixture.open(ModelVersions.second)
    try stranger.execute("UPDATE Item SET rating = 4; INSERT INTO Note(text) VALUES('n')")
    try stranger.execute("DELETE FROM Item")
    #expect(
      try newer.history() == [
        "#1 insert Item/1", "#2 update Item/1 [\"count\"]", "#3 model 2",
        "#4 insert Note/1", "#4 delete Item/1 [\"headline=\\\"a\\\"\", \"rating=4\"]",
      ]
        || newer.history() == [
          "#1 insert Item/1", "#2 update Item/1 [\"count\"]", "#3 model 2",
          "#4 delete Item/1 [\"headline=\\\"a\\\"\", \"rating=4\"]", "#4 insert Note/1",
        ]
    )
    #expect(try newer.verify().filter(\.isWrong).isEmpty)
  }

  @Test func `A migration that drops columns goes on capturing`() throws {
    try store.insert("Item", ["title": "a", "count": 3])
    try stranger.execute("UPDATE Item SET title = 'b'")
    _ = try Store.migrate(
      path: fixture.path,
      to: `A migration`.wanted,
      configuration: fixture.configuration,
      computing: ["Item": { try $0.set(.string("n"), for: "count") }]
    )
    let newer = try fixture.open(`A migration`.wanted)
    let token = try newer.currentToken()
    try stranger.execute("UPDATE Item SET rating = 1")
    #expect(try newer.history(after: token) == ["#4 update Item/1 [\"rating\"]"])
  }

  @Test func `A trigger, column or table that is missing is named, and triggers are created again`()
    throws
  {
    try stranger.execute("DROP TRIGGER history_foreign_2_updated")
    var fixture = fixture
    fixture.configuration.foreignWrites = nil
    let error = #expect(throws: HistoryError.self) { try fixture.open(ModelVersions.first) }
    #expect(error?.code == .changedSchema)
    #expect(error?.message.contains("the trigger history_foreign_2_updated is missing") == true)
    #expect(throws: HistoryError.self) { try store.insert("Tag") }
    _ = try self.fixture.open(ModelVersions.first)
    try store.insert("Tag")
    try stranger.execute("UPDATE Tag SET name = 'x'; DROP TRIGGER history_foreign_1_updated")
    try stranger.execute("DROP TABLE Tag")
    let other = #expect(throws: HistoryError.self) { try fixture.open(ModelVersions.first) }
    #expect(other?.message.contains("the table Tag, the trigger history_foreign_1_updated") == true)
  }

  @Test func `An open store notices that another one has started to capture`() throws {
    let fixture = try StoreFixture()
    let early = try fixture.open(ModelVersions.first)
    try early.insert("Tag")
    var later = fixture
    later.configuration.foreignWrites = .captured
    _ = try later.open(ModelVersions.first)
    try early.insert("Tag")
    try fixture.execute("INSERT INTO Tag(name) VALUES('a')")
    let numbers = try early.history().map { $0.prefix { $0 != "/" } }
    #expect(numbers == ["#1 insert Tag", "#2 insert Tag", "#3 insert Tag"])
  }

  @Test func `A watch reports another program's commits`() throws {
    var fixture = fixture
    fixture.configuration.changePollInterval = .milliseconds(1)
    let watched = try fixture.open(ModelVersions.first)
    let reported = ReportedTokens()
    let watch = try watched.watch { token in
      // A reader takes the changes into history, and then the watch reports the new position.
      _ = try? watched.currentToken()
      reported.note(token)
    }
    try stranger.execute("INSERT INTO Tag(name) VALUES('a')")
    reported.wait(for: 1)
    #expect(try watched.currentToken().number == 1)
    withExtendedLifetime(watch) {}
  }

  @Test func `Turning capture off keeps the captured changes, and later ones are not captured`()
    throws
  {
    try stranger.execute("INSERT INTO Tag(name) VALUES('a')")
    var fixture = fixture
    fixture.configuration.foreignWrites = .unwatched
    let other = try fixture.open(ModelVersions.first)
    #expect(try other.history().count == 1)
    try stranger.execute("INSERT INTO Tag(name) VALUES('b')")
    #expect(try other.history().count == 1)
    fixture.configuration.foreignWrites = nil
    #expect(try fixture.open(ModelVersions.first).history().count == 1)
  }

  @Test func `No program can commit a reference to a missing object`() throws {
    var fixture = try StoreFixture()
    fixture.configuration.foreignWrites = .captured
    let model = try Model([
      Entity("List", [Attribute("name", .string)]),
      Entity("Item", [Attribute("list", to: "List", deleteRule: .cascade, isOptional: false)]),
      Entity("Tag", [Attribute("name", .string)]),
    ])
    let store = try Store(path: fixture.path, model: model, configuration: fixture.configuration)
    try store.insert("List", ["name": "ours"])
    try store.insert("Item", ["list": 1])
    let stranger = PlainProgram(try fixture.connection())
    try stranger.execute("PRAGMA foreign_keys = OFF; INSERT INTO Tag(name) VALUES('free')")
    let unchecked = [
      ("INSERT INTO Item(list) VALUES(9)", "Item"), ("UPDATE Item SET list = 9", "Item"),
      ("DELETE FROM List", "List"), ("INSERT OR REPLACE INTO List VALUES(1, 0, 'x')", "List"),
    ]
    for (sql, entity) in unchecked {
      let error = #expect(throws: SQLiteError.self) { try stranger.execute(sql) }
      let sentence = "\(entity) has references or is referred to; run PRAGMA foreign_keys = ON"
      #expect(error?.message.contains(sentence) == true)
    }
    try stranger.execute("PRAGMA foreign_keys = ON")
    // SQLite checks references at the commit, so the order within a transaction is free.
    try stranger.execute(
      """
      BEGIN; INSERT INTO Item(list) VALUES(100); INSERT INTO List(_key, name) VALUES(100, 'b');
      COMMIT
      """
    )
    #expect(throws: SQLiteError.self) { try stranger.execute("DELETE FROM List WHERE _key = 1") }
    #expect(try store.history().count == 5)
    #expect(try store.verify().filter(\.isWrong).isEmpty)
  }

  @Test func `A file that captures without triggers for references gets them when opened`()
    throws
  {
    var fixture = try StoreFixture()
    fixture.configuration.foreignWrites = .captured
    let model = try Model([Entity("Item", [Attribute("next", to: "Item")])])
    func open() throws -> Store {
      try Store(path: fixture.path, model: model, configuration: fixture.configuration)
    }
    try open().insert("Item")
    let stranger = PlainProgram(try fixture.connection())
    let names = "SELECT count(*) FROM sqlite_schema WHERE name GLOB 'history_foreign_1_keys_*'"
    #expect(try stranger.integer(names) == 3)
    for event in ["insert", "update", "delete"] {
      try stranger.execute("DROP TRIGGER history_foreign_1_keys_\(event)")
    }
    fixture.configuration.foreignWrites = nil
    try open().insert("Item")
    #expect(try stranger.integer(names) == 0)
    fixture.configuration.foreignWrites = .captured
    _ = try open()
    #expect(try stranger.integer(names) == 3)
  }

  private func captured() throws -> Int64? {
    try stranger.integer("SELECT count(*) FROM history_foreign")
  }
}

@Suite(.inEveryLayout) struct `Writes with plain SQL that are refused` {
  @Test func `An insert, an update and a delete fail with a sentence, and ours succeed`() throws {
    var fixture = try StoreFixture()
    fixture.configuration.foreignWrites = .refused
    let store = try fixture.open(ModelVersions.first)
    let id = try store.insert("Item", ["title": "a"])
    let stranger = try fixture.connection()
    for sql in [
      "INSERT INTO Item(title) VALUES('b')", "UPDATE OR IGNORE Item SET title = 'b'",
      "DELETE FROM Item", "REPLACE INTO Item(_key, title) VALUES(1, 'b')",
    ] {
      let error = #expect(throws: SQLiteError.self) { try stranger.execute(sql) }
      #expect(error?.message.contains("open the store once with foreignWrites = .captured") == true)
    }
    try store.save([ObjectEdit(.update, id, columns: 1, version: 1, values: ["c"])])
    #expect(try store.history().count == 2)
    #expect(try stranger.text("SELECT title FROM Item") == "c")
  }
}
