import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import Testing

/// The findings of a verification in sound and in damaged histories.
@Suite(.inEveryLayout) struct VerificationTests {
  let fixture: StoreFixture
  let store: Store

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
    for index in 0..<4 {
      fixture.clock.now += 10
      try store.add("\(index)", context: "view")
    }
  }

  /// Executes SQL directly on the file, and returns the findings of a verification.
  private func found(after sql: String) throws -> [HistoryFinding] {
    try fixture.execute(sql)
    return try Store(reading: fixture.path).verify()
  }

  private var transactions: String { fixture.layout.transactions }
  private var number: String { fixture.layout.number }

  @Test func `A sound history has no findings`() throws {
    #expect(try found(after: "") == [])
  }

  @Test func `Purged numbers and strings are notes`() throws {
    let sql = "DELETE FROM \(transactions) WHERE \(number) = 3"
    let extra =
      "; DELETE FROM \(fixture.layout.changeRows) WHERE \(fixture.layout.changeTransaction) = 3"
    let text = fixture.layout.stringText
    let string = "; INSERT INTO \(fixture.layout.strings)(\(text)) VALUES('unused')"
    let findings = try found(after: sql + extra + string)
    #expect(
      findings == [
        HistoryFinding(kind: .gaps, count: 1, first: 3, isWrong: false),
        HistoryFinding(kind: .unusedStrings, count: 1, first: 3, isWrong: false),
      ]
    )
  }

  @Test func `Changes without their transaction are an error`() throws {
    let rows = fixture.layout.changeRows
    let sql =
      switch fixture.layout {
      case .packed: "INSERT INTO \(rows) VALUES(9 << 20, x'01')"
      case .coreData: "INSERT INTO \(rows)(ZTRANSACTIONID) VALUES(9)"
      }
    let finding = HistoryFinding(kind: .orphans, count: 1, first: 9, isWrong: true)
    #expect(try found(after: sql) == [finding])
  }

  @Test func `An object that changes twice in a transaction is an error`() throws {
    let sql =
      switch fixture.layout {
      case .packed: "UPDATE \(transactions) SET changes = x'0104020400', count = 2 WHERE number = 2"
      case .coreData:
        """
        INSERT INTO ACHANGE(ZTRANSACTIONID, ZENTITY, ZENTITYPK, ZCHANGETYPE)
        SELECT ZTRANSACTIONID, ZENTITY, ZENTITYPK, 0 FROM ACHANGE WHERE ZTRANSACTIONID = 2
        """
      }
    let finding = HistoryFinding(kind: .duplicates, count: 1, first: 2, isWrong: true)
    #expect(try found(after: sql) == [finding])
  }

  @Test func `Unreadable changes are an error, and their neighbours are still verified`()
    throws
  {
    let damage =
      switch fixture.layout {
      case .packed: "UPDATE \(transactions) SET changes = x'ff' WHERE number IN (2, 4)"
      case .coreData: "UPDATE ACHANGE SET ZCHANGETYPE = 9 WHERE ZTRANSACTIONID IN (2, 4)"
      }
    let finding = HistoryFinding(kind: .damaged, count: 2, first: 2, isWrong: true)
    #expect(try found(after: damage) == [finding])
  }

  @Test func `A missing string is an error`() throws {
    let text = fixture.layout.stringText
    let sql = "DELETE FROM \(fixture.layout.strings) WHERE \(text) = 'view'"
    let finding = HistoryFinding(kind: .unknownStrings, count: 4, first: 1, isWrong: true)
    #expect(try found(after: sql) == [finding])
  }

  @Test func `A timestamp that steps back is an error unless the clock is raw`() throws {
    let step = "UPDATE \(transactions) SET \(fixture.layout.timestamp) = 5 WHERE \(number) = 3"
    let wrong = HistoryFinding(kind: .stepsBack, count: 1, first: 3, isWrong: true)
    #expect(try found(after: step) == [wrong])
    let raw = "UPDATE history_metadata SET value = 'wallClock' WHERE name = 'timestamps'"
    let note = HistoryFinding(kind: .stepsBack, count: 1, first: 3, isWrong: false)
    #expect(try found(after: raw) == [note])
  }

  @Test func `References that a program without foreign keys left dangling are an error`() throws {
    let fixture = try StoreFixture()
    let model = try Model([
      Entity("List", [Attribute("name", .string)]),
      Entity("Note", [Attribute("list", to: "List")]),
      Entity("Item", [Attribute("list", to: "List")]),
    ])
    let store = try Store(path: fixture.path, model: model, configuration: fixture.configuration)
    let lists: [[String: Value]] = [["name": "a"], ["name": "b"]]
    try store.batchInsert(into: "List", lists, by: BatchAuthor("app"))
    let items: [[String: Value]] = [["list": 2], ["list": 1], [:], ["list": 1]]
    try store.batchInsert(into: "Item", items, by: BatchAuthor("app"))
    #expect(try store.verify() == [])
    try fixture.execute("DELETE FROM List WHERE _key = 1")
    let finding = HistoryFinding(
      kind: .danglingReferences,
      count: 2,
      first: 2,
      object: "Item/2",
      isWrong: true
    )
    #expect(try Store(reading: fixture.path).verify() == [finding])
    #expect(try store.verify() == [finding])
    #expect(finding.kind.sentence(of: 2) == "2 references to a missing object")
    try fixture.execute("UPDATE Item SET list = 2 WHERE list = 1")
    #expect(try store.verify() == [])
  }

  @Test func `A timestamp that is NaN or infinite is an error`() throws {
    let sql = "UPDATE \(transactions) SET \(fixture.layout.timestamp) = 'x' WHERE \(number) = 1"
    #expect(
      try found(after: sql).contains(
        HistoryFinding(kind: .unreadableTimes, count: 1, first: 1, isWrong: true)
      )
    )
  }
}

@Suite struct RealHistoryTests {
  @Test(arguments: StoreAtHand.all)
  func `Real files have no errors except the known ones`(
    store: StoreAtHand
  ) throws {
    try store.withPath { path in
      let findings = try Store(reading: path).verify()
      #expect(findings.filter(\.isWrong) == [])
    }
  }

  @Test func `A packed change uses at most a quarter of the space of a row`() throws {
    var bytes: [HistoryLayout: Int64] = [:]
    for layout in HistoryLayout.allCases {
      var fixture = try StoreFixture()
      fixture.configuration.layout = layout
      let store = try fixture.open()
      let before = try historyBytes(store, fixture)
      for _ in 0..<200 { try store.add(Array(repeating: "a", count: 10)) }
      bytes[layout] = try historyBytes(store, fixture) - before
    }
    let (packed, rows) = (bytes[.packed] ?? 0, bytes[.coreData] ?? 0)
    #expect(packed > 0)
    #expect(Double(packed) <= 0.25 * Double(rows), "\(packed) of \(rows) bytes")
    print("bytes a change: packed \(Double(packed) / 2000), coreData \(Double(rows) / 2000)")
  }

  /// The pages of the history's tables and indexes.
  private func historyBytes(_ store: Store, _ fixture: StoreFixture) throws -> Int64 {
    let connection = try fixture.connection()
    return try connection.integer(
      """
      SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'history%' OR name LIKE 'A%' OR name LIKE 'Z%'
      """
    ) ?? 0
  }
}
