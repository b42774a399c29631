import Foundation
import HistoryStore
import HistoryTypes
import PropertyTesting
import PropertyTraits
import SQLiteStorage
import StoreFixtures
import TestSupport
import Testing

/// Any bytes in place of a transaction's changes are reported with its number.
@Suite(.inEveryLayout) struct DamageTests {
  let fixture: StoreFixture
  let store: Store

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
    try store.add("a")
    let ids = try store.add(["b", "c"]).objectIDs
    try store.save(
      ids.map { ObjectEdit(.update, $0, columns: 0b11, version: 2, values: ["d", 1]) }
    )
    try store.save(ids.map { ObjectEdit(.delete, $0, version: 3) })
    try store.add("e")
  }

  @Test func `Garbage in place of the changes is reported with the transaction's number`() throws {
    try fixture.execute("CREATE TABLE kept AS SELECT * FROM \(fixture.layout.garbageTable)")
    for garbage in fixture.layout.garbage {
      try fixture.execute(garbage)
      #expect(throws: HistoryError.damagedTransaction(2), "\(garbage)") { try store.numbers() }
      #expect(try store.numbers(after: store.head(2)) == [3, 4, 5])
      try fixture.execute(fixture.layout.repair)
      #expect(try store.numbers() == [1, 2, 3, 4, 5])
    }
    try fixture.execute(fixture.layout.garbage[0])
    #expect(try store.add("f") == 6)
  }

  /// Values of every type of SQL, as text.
  private static var sqlValues: Generator<String> {
    let bytes = Generator<Int>.ints(in: 0...255, spread: .uniform)
      .array(count: 0...19, length: .uniform, element: "byte")
    return .oneOf([
      .always("NULL"), .always("7"), .always("1.5"), .always("'text'"),
      Generator<Int64>.integers(spread: .uniform).map { "\($0)" },
      bytes.map { "x'\($0.map { String(256 + $0, radix: 16).dropFirst() }.joined())'" },
    ])
  }

  @Test(.property(cases: 200, seed: 4))
  func `Random values in rows of changes never trap`() async throws {
    guard fixture.layout == .coreData else { return }
    let columns = ["ZENTITY", "ZENTITYPK", "ZCHANGETYPE", "ZCOLUMNS", "ZTOMBSTONE0", "ZTOMBSTONE3"]
    try fixture.execute("CREATE TABLE kept AS SELECT * FROM ACHANGE")
    var damaged = 0
    try await property(.element(of: columns), Self.sqlValues) { column, value in
      try fixture.execute("UPDATE ACHANGE SET \(column) = \(value) WHERE ZTRANSACTIONID = 2")
      do throws(HistoryError) {
        for change in try store.fetch(HistoryRequest(after: nil)).changes {
          _ = (change.tombstone, change.entityName, change.updatedProperties)
        }
      } catch {
        #expect(error == .damagedTransaction(2))
        damaged += 1
      }
      try fixture.execute(fixture.layout.repair)
    }
    #expect(damaged > 50)
  }

  /// Returns a page in the middle of a table, with the first transaction that has a row on it.
  private func middlePage(
    of table: String,
    _ number: String
  ) throws -> (page: Int64, number: Int64)? {
    let connection = try fixture.connection()
    let pages = try Statement(
      connection,
      "SELECT pageno, ncell FROM dbstat WHERE name = ?1 AND pagetype = 'leaf' ORDER BY path"
    )
    pages.bind(table, at: 1)
    guard try pages.step() else { return nil }
    let before = pages.int(1)
    guard try pages.step() else { return nil }
    let page = pages.int(0)
    guard try pages.step() else { return nil }
    let first = try connection.integer(
      "SELECT \(number) FROM \(table) ORDER BY rowid LIMIT 1 OFFSET \(before)"
    )
    return first.map { (page, $0) }
  }

  @Test(arguments: [0x00, 0xA5, 0xFF] as [UInt8])
  func `An overwritten page of history is reported with its first transaction`(_ byte: UInt8) throws
  {
    for index in 0..<400 { try store.add("\(index)") }
    try fixture.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let layout = fixture.layout
    var tables = [(layout.transactions, layout.number)]
    if layout == .coreData { tables.append((layout.changeRows, layout.changeTransaction)) }
    for (table, number) in tables {
      let middle = try #require(try middlePage(of: table, number), "\(table)")
      var bytes = try Data(contentsOf: fixture.folder.url.appendingPathComponent("store"))
      let start = Int(middle.page - 1) * 4096
      bytes.replaceSubrange(start..<start + 4096, with: repeatElement(byte, count: 4096))
      let copy = fixture.folder.path("copy")
      try bytes.write(to: URL(fileURLWithPath: copy))
      let damaged = try Store(
        path: copy,
        model: StoreFixture.model(),
        configuration: fixture.configuration
      )
      #expect(throws: HistoryError.damagedTransaction(middle.number), "\(table)") {
        try damaged.numbers()
      }
      #expect(throws: HistoryError.damagedTransaction(middle.number), "\(table)") {
        try damaged.objectIDs(HistoryRequest(after: nil))
      }
    }
  }

  @Test(arguments: [1 << 24 + 1, 3_000_000_000])
  func `String numbers that no store assigns are damage`(number: Int) throws {
    try fixture.execute(fixture.layout.insertString(number, "far"))
    #expect(throws: HistoryError.self) { try store.numbers(after: nil, .author("far")) }
  }

  @Test func `Messages state the problem, the place and a suggestion`() throws {
    let token = HistoryToken(store: store.id, number: 3, mark: 1)
    let messages: [(HistoryError, String)] = [
      (
        .damagedTransaction(4),
        "#4 cannot be read: the file is damaged. Restore it from a copy, or purge"
      ),
      (.conflict([]), "0 objects"),
      (.conflict([ObjectID(entity: 1, key: 2)]), "changed 1 object since the context's last read"),
      (.stopped("no more"), "no more"),
      (.expired(token: token, firstHeld: 9), "#9"),
      (.expired(token: token, firstHeld: nil), "none remains"),
      (.rewound(token: token, head: 2), "ends at #2"),
      (.otherStore(token: token, store: store.id), "Start again"),
      (.newerFormat(path: "a", found: 9, known: 1), "Update the app"),
    ]
    for (error, part) in messages { #expect(error.description.contains(part)) }
  }
}

/// Damage that only packed changes can have.
@Suite struct PackedDamageTests {
  let fixture: StoreFixture
  let store: Store

  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
    try store.add("a")
    let ids = try store.add(["b", "c"]).objectIDs
    try store.save(
      ids.map { ObjectEdit(.update, $0, columns: 0b11, version: 2, values: ["d", 1]) }
    )
    try store.save(ids.map { ObjectEdit(.delete, $0, version: 3) })
    try store.add("e")
  }

  @Test func `Changes with trailing bytes or a wrong count are damaged`() throws {
    try fixture.execute(
      "UPDATE history_transaction SET changes = CAST(changes || x'04' AS BLOB) WHERE number = 3"
    )
    #expect(throws: HistoryError.damagedTransaction(3)) { try store.numbers() }
    try fixture.execute(
      "UPDATE history_transaction SET changes = CAST(x'02' || substr(changes, 2) AS BLOB) "
        + "WHERE number = 4"
    )
    #expect(throws: HistoryError.damagedTransaction(4)) {
      try store.numbers(after: store.head(3))
    }
    for count in [0, 1, 3, -1, Int64.max] {
      try fixture.execute("UPDATE history_transaction SET count = \(count) WHERE number = 2")
      #expect(throws: HistoryError.damagedTransaction(2)) { try store.numbers() }
    }
  }

  @Test func `A missing or truncated chunk is damage`() throws {
    try store.add(PurgeTests.many)
    let damage = [
      "UPDATE history_chunk SET changes = substr(changes, 1, 99) WHERE id = (6 << 20) + 1",
      "DELETE FROM history_chunk WHERE id = (6 << 20) + 1", "DELETE FROM history_chunk",
    ]
    for sql in damage {
      try fixture.execute(sql)
      #expect(throws: HistoryError.damagedTransaction(6)) { try store.numbers() }
    }
  }

  @Test(.property(cases: 400, seed: 4)) func `Random bytes never trap`() async throws {
    let connection = try fixture.connection()
    let good = Self.bytes(
      try #require(
        try connection.text("SELECT hex(changes) FROM history_transaction WHERE number = 4")
      )
    )
    let set = try Statement(
      connection,
      "UPDATE history_transaction SET changes = ?1 WHERE number = 4"
    )
    var damaged = 0
    try await property(Self.bytes(orBitsOf: good)) { bytes in
      bytes.withUnsafeBytes { set.bind(copying: $0, at: 1) }
      try set.run()
      do throws(HistoryError) {
        for change in try store.fetch(HistoryRequest(after: nil)).transactions[3].changes {
          _ = (change.tombstone, change.entityName, change.updatedProperties)
        }
      } catch {
        #expect(error == .damagedTransaction(4))
        damaged += 1
      }
    }
    #expect(damaged > 150)
  }

  /// Returns a generator of any bytes, and of good bytes with one changed bit.
  private static func bytes(orBitsOf good: [UInt8]) -> Generator<[UInt8]> {
    let bytes = Generator<UInt8>.integers(spread: .uniform)
      .array(count: 0...39, length: .uniform, element: "byte")
    let changed = Generator<Int>.ints(in: 0...8 * good.count - 1, spread: .uniform).map { bit in
      var bytes = good
      bytes[bit / 8] ^= 1 << (bit % 8)
      return bytes
    }
    return .frequency([(5, bytes), (3, changed)])
  }

  private static func bytes(_ hex: String) -> [UInt8] {
    stride(from: 0, to: hex.count, by: 2).compactMap { offset in
      let start = hex.index(hex.startIndex, offsetBy: offset)
      return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16)
    }
  }

  @Test func `An unreadable tombstone is nil`() throws {
    try fixture.execute(
      "UPDATE history_transaction SET changes = x'0106020200ff', count = 1 WHERE number = 4"
    )
    let page = try store.fetch(HistoryRequest(after: nil))
    #expect(page.transactions[3].changes.first?.tombstone == nil)
  }
}

extension HistoryLayout {
  /// The table that holds the changes of a small transaction.
  fileprivate var garbageTable: String { either("history_transaction", "ACHANGE") }

  /// Restores the saved bytes of the second transaction.
  fileprivate var repair: String {
    let number = either("number", "ZTRANSACTIONID")
    return """
      DELETE FROM \(garbageTable) WHERE \(number) = 2;
      INSERT INTO \(garbageTable) SELECT * FROM kept WHERE \(number) = 2;
      """
  }

  /// Changes of the second transaction that no store writes.
  fileprivate var garbage: [String] {
    switch self {
    case .packed:
      [
        "x''", "x'00'", "x'02'", "x'01'", "x'0104'", "x'010780'", "x'0105'", "x'0106027f'",
        "x'01070202'", "NULL", "7", "'text'", "x'01ffffffffffffffffffff01'",
        "x'0106028080808008'",
      ].map { "UPDATE history_transaction SET changes = \($0) WHERE number = 2" }
    case .coreData:
      [
        ("ZCHANGETYPE", ["NULL", "3", "-1", "256", "1.5", "'text'", "x'00'"]),
        ("ZENTITY", ["NULL", "-1", "2147483648", "1.5", "'text'", "x'01'"]),
        ("ZENTITYPK", ["NULL", "1.5", "'text'", "x'01'"]),
      ].flatMap { column, values in
        values.map { "UPDATE ACHANGE SET \(column) = \($0) WHERE ZTRANSACTIONID = 2" }
      }
    }
  }

  private func either(_ packed: String, _ coreData: String) -> String {
    self == .packed ? packed : coreData
  }
}

extension Store {
  /// Returns the position right after a transaction, without reading its changes.
  fileprivate func head(_ number: Int64) throws -> HistoryToken {
    let connection = try Connection(path: path)
    let layout = configuration.layout
    let mark = try connection.integer(
      "SELECT \(layout.mark) FROM \(layout.transactions) WHERE \(layout.number) = \(number)"
    )
    return HistoryToken(store: id, number: number, mark: try #require(mark))
  }
}
