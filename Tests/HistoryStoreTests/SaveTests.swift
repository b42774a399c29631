import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import TestSupport
import Testing

@Suite(.inEveryLayout) struct SaveTests {
  let fixture: StoreFixture
  let store: Store

  init() throws {
    var fixture = try StoreFixture()
    fixture.configuration.bundleID = "org.example.app"
    fixture.configuration.processID = "app 1"
    self.fixture = fixture
    store = try fixture.open()
  }

  static let values: [Value] = [
    "naïve", 7, 2.5, .data(Data([0, 1, 255])), .date(Date(timeIntervalSinceReferenceDate: 12.25)),
    true, .uuid(UUID()), "before\u{0}after",
  ]

  @Test func `A save writes rows of every type and one transaction that describes it`() throws {
    let id = try store.makeObjectID("Item")
    let tag = try store.makeObjectID("Tag")
    let result = try store.save(
      SaveRequest(
        edits: [
          ObjectEdit(.insert, id, values: Self.values), ObjectEdit(.insert, tag, values: [.null]),
        ],
        author: "app",
        contextName: "view",
        writer: WriterID(rawValue: 9),
        policy: .error
      )
    )
    #expect(result.outcomes == [.written, .written])
    #expect(try store.rows(1).values == Self.values)
    #expect(try store.rows(2).values == [.null])
    let transaction = try #require(try store.fetch(HistoryRequest(after: nil)).transactions.first)
    #expect(transaction.number == 1)
    #expect(transaction.author == "app")
    #expect(transaction.contextName == "view")
    #expect(transaction.bundleID == "org.example.app")
    #expect(transaction.processID == "app 1")
    #expect(transaction.writer == WriterID(rawValue: 9))
    #expect(transaction.timestamp == fixture.clock.date)
    #expect(transaction.token == result.transaction?.token)
    #expect(transaction.changes.map(\.objectID) == [id, tag])
    #expect(transaction.changes.map(\.type) == [.insert, .insert])
    #expect(transaction.changes.map(\.entityName) == ["Item", "Tag"])
  }

  @Test func `An update sets only its attributes, and history records their bits`() throws {
    let id = try store.insertItem(Self.values)
    let result = try store.save([
      ObjectEdit(.update, id, columns: 0b1000_0010, version: 1, values: [8, .null])
    ])
    var expected = Self.values
    expected[1] = 8
    expected[7] = .null
    #expect(try store.rows(1).values == expected)
    #expect(try store.rows(1).versions == [2])
    #expect(result.transaction?.count == 1)
    let change = try #require(
      try store.fetch(HistoryRequest(after: nil)).transactions[1].changes.first
    )
    #expect(change.columns == 0b1000_0010)
    #expect(change.updatedProperties == ["count", "note"])
    #expect(change.tombstone == nil)
  }

  @Test func `A delete keeps the preserved values with their types, and no others`() throws {
    let id = try store.insertItem(Self.values)
    try store.save([ObjectEdit(.delete, id, version: 1)])
    #expect(try store.rows(1).keys == [])
    let change = try #require(
      try store.fetch(HistoryRequest(after: nil)).transactions[1].changes.first
    )
    #expect(change.type == .delete)
    #expect(
      change.tombstone == [
        "title": Self.values[0], "count": Self.values[1], "ratio": Self.values[2],
        "body": Self.values[3], "due": Self.values[4], "done": Self.values[5],
        "code": Self.values[6],
      ]
    )
  }

  @Test func `Null and whole numbers keep their types in a tombstone`() throws {
    let id = try store.insertItem([
      .null, 0, 3.0, .data(Data()), .date(Date(timeIntervalSinceReferenceDate: 4)), false,
    ])
    try store.save([ObjectEdit(.delete, id, version: 1)])
    let change = try #require(
      try store.fetch(HistoryRequest(after: nil)).transactions[1].changes.first
    )
    #expect(
      change.tombstone == [
        "count": 0, "ratio": 3.0, "body": .data(Data()),
        "due": .date(Date(timeIntervalSinceReferenceDate: 4)), "done": false,
      ]
    )
  }

  @Test func `An object without preserved values leaves no tombstone`() throws {
    let id = try store.makeObjectID("Tag")
    try store.save([ObjectEdit(.insert, id, values: ["a"])])
    try store.save([ObjectEdit(.delete, id, version: 1)])
    let change = try #require(
      try store.fetch(HistoryRequest(after: nil)).transactions[1].changes.first
    )
    #expect(change.tombstone == nil)
  }

  @Test func `Numbers rise by one, with or without failed and empty saves between`() throws {
    #expect(try store.add("a") == 1)
    #expect(throws: HistoryError.self) {
      try store.save([ObjectEdit(.delete, ObjectID(entity: 9, key: 1))])
    }
    #expect(try store.save([]).transaction == nil)
    #expect(try store.add("b") == 2)
    #expect(try fixture.open().add("c") == 3)
    #expect(try store.numbers() == [1, 2, 3])
  }

  @Test func `A save without effect writes neither a transaction nor a page`() throws {
    let id = try store.insertItem(["a"])
    try store.save([ObjectEdit(.delete, id, version: 1)])
    let version = try fixture.connection().integer(
      "SELECT count(*) FROM \(fixture.layout.transactions)"
    )
    let result = try store.save(
      [ObjectEdit(.update, id, columns: 1, version: 1, values: ["b"]), ObjectEdit(.delete, id)],
      .objectWins,
      by: "a new author"
    )
    #expect(result.outcomes == [.gone, .gone])
    #expect(result.transaction == nil)
    #expect(
      try fixture.connection().integer("SELECT count(*) FROM \(fixture.layout.transactions)")
        == version
    )
    #expect(
      try fixture.connection().integer(
        "SELECT count(*) FROM \(fixture.layout.strings) "
          + "WHERE \(fixture.layout.stringText) = 'a new author'"
      ) == 0
    )
    try store.add("c", by: "a new author")
    #expect(try store.fetch(HistoryRequest(after: nil)).transactions.last?.author == "a new author")
  }

  @Test func `History and data are in one SQLite transaction`() throws {
    try fixture.execute(
      "CREATE TRIGGER refuse BEFORE INSERT ON \(fixture.layout.transactions) "
        + "BEGIN SELECT raise(ABORT, 'no'); END"
    )
    #expect(throws: HistoryError.self) { try store.add("a") }
    #expect(try store.titles() == [])
    try fixture.execute("DROP TRIGGER refuse")
    #expect(try store.add("b", by: "app") == 1)
    // Another store has the author only if the strings were written again.
    let other = try fixture.open()
    #expect(try other.fetch(HistoryRequest(after: nil)).transactions.first?.author == "app")
    #expect(try fixture.connection().integer("SELECT count(*) FROM history_author") == 2)
  }

  @Test(
    arguments: [
      (0, 1), (1, 1.5), (2, .double(.nan)), (2, 1), (3, "a"),
      (4, .date(Date(timeIntervalSinceReferenceDate: .nan))), (4, 1.0), (5, 1), (6, .data(Data())),
      (0, .data(Data())), (7, true),
    ] as [(Int, Value)]
  )
  func `A value of the wrong type is refused by name, and the save writes no row`(
    index: Int,
    value: Value
  ) throws {
    let attribute = try StoreFixture.model().entities[0].attributes[index]
    let expected = HistoryError.unfitValue(
      entity: "Item",
      attribute: attribute.name,
      type: attribute.type
    )
    let first = try store.insertItem(["kept"])
    let id = try store.makeObjectID("Item")
    var values = [Value](repeating: .null, count: 8)
    values[index] = value
    #expect(throws: expected) {
      try store.save([
        ObjectEdit(.update, first, columns: 1, version: 1, values: ["lost"]),
        ObjectEdit(.insert, id, values: values),
      ])
    }
    #expect(throws: expected) {
      try store.save([
        ObjectEdit(.delete, first, version: 1),
        ObjectEdit(.update, first, columns: 1 << UInt64(index), version: 1, values: [value]),
      ])
    }
    #expect(try store.titles() == ["kept"])
    #expect(try store.numbers() == [1])
  }

  @Test func `A value too large for SQLite is refused, not stored as null`() throws {
    let id = try store.makeObjectID("Item")
    var values = [Value](repeating: .null, count: 8)
    values[3] = .data(Data(count: 500_000_001))
    #expect(throws: HistoryError.unfitValue(entity: "Item", attribute: "body", type: .data)) {
      try store.save([ObjectEdit(.insert, id, values: values)])
    }
  }

  @Test func `An error about a name or a value has a suggestion`() throws {
    let item = store.model.entities[0]
    let entity = HistoryError.unknownEntity("Itme", in: store.model)
    #expect(entity.suggestion?.hasPrefix("Did you mean \"Item\"? Use an entity") == true)
    #expect(entity.suggestion?.contains("of the model (Item") == true)
    let far = HistoryError.unknownEntity("Nothing", in: store.model)
    #expect(far.suggestion?.hasPrefix("Use an entity of the model (Item, Tag)") == true)
    let attribute = HistoryError.unknownAttribute("titel", of: item)
    #expect(attribute.suggestion?.hasPrefix("Did you mean \"title\"? Use an attr") == true)
    #expect(attribute.suggestion?.contains("of the entity (title, ") == true)
    let many = HistoryError.unknownAttribute("x", of: "Item", known: (1...20).map { "a\($0)" })
    #expect(many.suggestion?.contains("a11, a12, ...)") == true)
    let value = HistoryError.unfitValue(entity: "Item", attribute: "title", type: .string)
    #expect(value.suggestion == "Use a value of that type within its limits, or null.")
  }

  @Test func `Objects of unknown entities and attributes are refused`() throws {
    func unknown(_ name: String) -> HistoryError { .unknownEntity(name, in: store.model) }
    let stranger = ObjectID(entity: 3, key: 1)
    for edit in [
      ObjectEdit(.insert, stranger), ObjectEdit(.update, stranger, columns: 1, values: [1]),
      ObjectEdit(.delete, stranger),
    ] {
      #expect(throws: unknown("number 3")) { try store.save([edit]) }
    }
    #expect(throws: unknown("number 3")) { try store.rows(3, sortedKeys: [1]) }
    #expect(throws: unknown("number 0")) { try store.rows(0) }
    #expect(throws: unknown("Nothing")) { try store.makeObjectID("Nothing") }
    let id = try store.insertItem()
    #expect(throws: HistoryError.self) {
      try store.save([ObjectEdit(.update, id, columns: 1 << 8, version: 1, values: [1])])
    }
    #expect(try store.numbers() == [1])
  }

  @Test func `An insert of an existing object is refused and writes no row`() throws {
    let id = try store.insertItem(["kept"])
    let error = try #require(throws: HistoryError.self) {
      try store.save([ObjectEdit(.insert, id, values: Array(repeating: .null, count: 8))])
    }
    guard case .sqlite(let cause) = error.reason else {
      Issue.record("\(error)")
      return
    }
    #expect(cause.cause == .constraint)
    #expect(try store.titles() == ["kept"])
  }

  @Test func `Rows are read by key, and missing ones are left out`() throws {
    let ids = try store.add(["a", "b", "c"]).objectIDs
    let last = try #require(ids.last)
    try store.save([ObjectEdit(.delete, last, version: 1)])
    let batch = try store.rows(1, sortedKeys: ids.map(\.key) + [99])
    #expect(batch.keys == ids.dropLast().map(\.key))
    #expect(batch.column(0) == ["a", "b"])
    let snapshot = try store.snapshot()
    #expect(snapshot.at.number == 2)
    #expect(snapshot.rows.map(\.keys.count) == [2, 0])
  }
}
