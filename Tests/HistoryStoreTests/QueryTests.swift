import HistoryStore
import HistoryTypes
import PropertyTesting
import PropertyTraits
import SQLiteStorage
import StoreFixtures
import TestSupport
import Testing

/// SQL queries see the same history as fetches.
@Suite(.inEveryLayout) struct QueryTests {
  private let fixture: StoreFixture
  private let store: Store

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
  }

  /// Returns each change as an SQL row, built from a fetch.
  private func expected(_ request: HistoryRequest = HistoryRequest(after: nil)) throws -> [[Value]]
  {
    var request = request
    request.transactionCountMax = .max
    return try store.fetch(request).changes.map { change in
      let transaction = change.transaction
      let names = [
        transaction.author, transaction.contextName, transaction.bundleID, transaction.processID,
      ].map { $0.map(Value.string) ?? .null }
      let properties = change.updatedProperties.map { "\"\($0)\"" }.joined(separator: ",")
      return [
        .int(transaction.number.rawValue), .int(Int64(change.id.place)),
        .double(transaction.timestamp.timeIntervalSinceReferenceDate),
      ] + names + [
        .string(change.entityName ?? "?"), .int(change.objectID.key), .string("\(change.type)"),
        change.type == .update ? .string("[\(properties)]") : .null,
      ]
    }
  }

  private static let columns = """
    number, place, timestamp, author, context, bundle, process, entity, key, type, properties
    """

  @Test(.property(cases: 4, seed: 1))
  func `Every change of a random history is a row`() async throws {
    var rowCount = 0
    try await property { source in
      var history = try RandomHistory()
      try history.write(0...70, &source)
      let page = try history.store.fetch(HistoryRequest(after: nil, transactionCountMax: .max))
      let rows = try history.store.query("SELECT * FROM history_changes").rows
      #expect(rows.count == page.changes.count)
      rowCount += rows.count
      for (row, change) in zip(rows, page.changes) {
        let transaction = change.transaction
        #expect(row[0...1] == [.int(transaction.number.rawValue), .int(Int64(change.id.place))])
        #expect(row[3] == transaction.author.map(Value.string) ?? .null)
        #expect(row[4] == transaction.contextName.map(Value.string) ?? .null)
        #expect(row[5] == transaction.bundleID.map(Value.string) ?? .null)
        #expect(row[6] == transaction.processID.map(Value.string) ?? .null)
        #expect(row[7...8] == [.string(change.entityName ?? "?"), .int(change.objectID.key)])
        #expect(row[9] == .string("\(change.type)"))
        #expect((row[11] != .null) == (change.tombstone != nil))
      }
    }
    #expect(rowCount > 400)
  }

  @Test func `Comparisons with a number limit which transactions are read`() throws {
    for index in 1...200 {
      fixture.clock.now += 1
      try store.add(["a", "b"], by: index % 3 == 0 ? nil : "app", context: "view")
    }
    let all = try expected()
    #expect(all.count == 400)
    let conditions: [(String, (Int64) -> Bool)] = [
      ("number > 150", { $0 > 150 }), ("number = 7", { $0 == 7 }), ("number <= 3", { $0 <= 3 }),
      ("number >= 20 AND number < 30", { (20..<30).contains($0) }), ("number < 0", { $0 < 0 }),
    ]
    for (condition, holds) in conditions {
      let rows = try store.query("SELECT \(Self.columns) FROM history_changes WHERE \(condition)")
      let wanted = all.filter { row in
        guard case .int(let number) = row[0] else { return false }
        return holds(number)
      }
      #expect(rows.rows == wanted, "\(condition)")
    }
    let counts = try store.query(
      "SELECT author, count(*) FROM history_changes WHERE number > ? GROUP BY author",
      [.int(100)]
    )
    #expect(counts.columns == ["author", "count(*)"])
    #expect(counts.rows == [[.null, .int(66)], [.string("app"), .int(134)]])
  }

  @Test func `A tombstone is a JSON object`() throws {
    let code = try #require(UUID(uuidString: "00000000-0000-0000-0000-0000000000FF"))
    let values: [Value] = [
      "a \"quoted\"\n\u{1} ü", 7, .double(-.infinity), .data(Data([0, 255])),
      .date(Date(timeIntervalSinceReferenceDate: 2.5)), true, .uuid(code), "not kept",
    ]
    let id = try store.insertItem(values)
    try store.save([ObjectEdit(.update, id, columns: 0b11, version: 1, values: ["b", 8])])
    try store.save([ObjectEdit(.delete, id, version: 2)])
    let rows = try store.query("SELECT type, properties, tombstone FROM history_changes").rows
    #expect(rows[0] == [.string("insert"), .null, .null])
    #expect(rows[1] == [.string("update"), .string(#"["title","count"]"#), .null])
    #expect(
      rows[2][2]
        == .string(
          #"{"body":"AP8=","code":"00000000-0000-0000-0000-0000000000FF","count":8,"done":true,"#
            + #""due":2.5,"ratio":"-Infinity","title":"b"}"#
        )
    )
    let taken = try store.query(
      """
      SELECT json_extract(tombstone, '$.count'), value FROM history_changes,
        json_each('["x"]') WHERE history_changes.type = 'delete'
      """
    )
    #expect(taken.rows == [[.int(8), .string("x")]])
    try store.insertItem([.string("a \"quoted\"\n\u{1} ü")]).delete(in: store)
    let quoted = try store.query(
      "SELECT json_extract(tombstone, '$.title') FROM history_changes WHERE number = 5"
    )
    #expect(quoted.rows == [[.string("a \"quoted\"\n\u{1} ü")]])
  }

  @Test func `A transaction with many changes is read in parts, only as far as requested`() throws {
    try store.add((0..<40_000).map { "item \($0)" })
    try store.add("last")
    let sums = "SELECT count(*), sum(place), max(number), count(DISTINCT key) FROM history_changes"
    #expect(
      try store.query(sums).rows == [[.int(40_001), .int(799_980_000), .int(2), .int(40_001)]]
    )
    let few = try store.query("SELECT place FROM history_changes LIMIT 2 OFFSET 20000")
    #expect(few.rows == [[.int(20_000)], [.int(20_001)]])
  }

  @Test func `Purged transactions have no rows, deleted or not`() throws {
    for _ in 1...4 { try store.add("a") }
    try fixture.execute("UPDATE history_author SET purged = 2 WHERE string <> 0")
    let numbers = try store.query("SELECT number FROM history_changes").rows
    #expect(numbers == [[.int(3)], [.int(4)]])
  }

  @Test func `Unreadable changes are reported with their transaction`() throws {
    for _ in 1...4 { try store.add(["a", "b"]) }
    try fixture.execute(fixture.layout.damage(of: 3))
    #expect(throws: HistoryError.damagedTransaction(3)) {
      try store.query("SELECT count(*) FROM history_changes")
    }
    let before = try store.query("SELECT number FROM history_changes WHERE number < 3")
    #expect(before.rows.count == 4)
    let after = try store.query("SELECT number FROM history_changes WHERE number > 3")
    #expect(after.rows.count == 2)
  }

  @Test func `A query reads objects too, and cannot write`() throws {
    try store.add(["a", "b"])
    let titles = try store.query(
      "SELECT title FROM history_changes JOIN Item ON entity = 'Item' AND key = _key ORDER BY 1"
    )
    #expect(titles.rows == [[.string("a")], [.string("b")]])
    for sql in ["DELETE FROM Item", "SELECT 1; DROP TABLE Item", "SELECT nme FROM history_changes"]
    {
      let error = #expect(throws: HistoryError.self) { try store.query(sql) }
      #expect(error?.code == .sqlite && error?.suggestion == nil, "\(String(describing: error))")
    }
    #expect(throws: HistoryError.self) { try store.query("SELECT ?") }
    #expect(try store.titles() == ["a", "b"])
    #expect(try store.add("c") == 2)
  }

  @Test func `Tombstones are null without permission, and that is reported`() throws {
    let id = try store.insertItem(["secret"])
    try store.save([ObjectEdit(.delete, id, version: 1)])
    let hiding: [(String, Bool)] = [
      ("SELECT tombstone FROM history_changes", true), ("SELECT * FROM history_changes", true),
      ("SELECT number FROM history_changes WHERE tombstone LIKE '%secret%'", true),
      ("SELECT number FROM history_changes", false),
      (
        fixture.layout == .packed
          ? "SELECT changes FROM history_transaction" : "SELECT ZTOMBSTONE0 FROM ACHANGE", true
      ),
    ]
    for (sql, isHidden) in hiding {
      var text = ""
      let hides = try store.query(
        sql,
        showsTombstones: false,
        columns: { _ in },
        row: { row in
          text += "\(row)"
          for case .data(let bytes) in row { text += String(decoding: bytes, as: UTF8.self) }
        }
      )
      #expect(hides == isHidden, "\(sql)")
      #expect(!text.contains("secret"), "\(sql)")
    }
  }

  @Test func `A file opened for reading accepts queries too`() throws {
    try store.add(["a", "b"])
    let reading = try Store(reading: fixture.path)
    #expect(
      try reading.query("SELECT * FROM history_changes").rows
        == store.query("SELECT * FROM history_changes").rows
    )
    #expect(throws: HistoryError.self) { try reading.query("DELETE FROM Item") }
  }

  @Test func `An untracked store has no history tables in SQL`() throws {
    var other = try StoreFixture()
    other.configuration.tracksHistory = false
    let untracked = try other.open()
    #expect(throws: HistoryError.untracked(path: other.path)) {
      try untracked.query("SELECT * FROM history_changes")
    }
  }
}

extension ObjectID {
  /// Deletes the object.
  fileprivate func delete(in store: Store) throws {
    try store.save([ObjectEdit(.delete, self, version: 4)])
  }
}
