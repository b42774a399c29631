import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import Testing

/// The rows that a store with Core Data's tables writes.
@Suite struct CoreDataLayoutTests {
  let fixture: StoreFixture
  let store: Store

  init() throws {
    var fixture = try StoreFixture()
    fixture.configuration.layout = .coreData
    fixture.configuration.processID = "notesd"
    fixture.configuration.bundleID = "org.example"
    self.fixture = fixture
    store = try fixture.open()
  }

  /// Returns the rows of a query, each as SQLite's `quote` writes its columns.
  private func rows(_ columns: String, _ rest: String) throws -> [String] {
    let quoted = columns.split(separator: ",").map { "quote(\($0))" }.joined(separator: "||' '||")
    let connection = try fixture.connection()
    let query = try Statement(connection, "SELECT \(quoted) FROM \(rest)")
    var rows: [String] = []
    while try query.step() { rows.append(query.text(0) ?? "") }
    return rows
  }

  @Test func `The tables and indexes equal those of real files`() throws {
    let names = try rows(
      "name",
      "sqlite_master WHERE (tbl_name LIKE 'A%' OR tbl_name LIKE 'Z%') ORDER BY type, name"
    )
    #expect(
      names == [
        "'ACHANGE_ZTRANSACTIONID_INDEX'", "'ATRANSACTION_ZAUTHORTS_INDEX'",
        "'ATRANSACTION_ZBUNDLEIDTS_INDEX'", "'ATRANSACTION_ZCONTEXTNAMETS_INDEX'",
        "'ATRANSACTION_ZPROCESSIDTS_INDEX'", "'Z_TRANSACTIONSTRING_UNIQUE_NAME'",
        "'Z_TRANSACTION_TransactionAuthorIndex'", "'Z_TRANSACTION_TransactionTimestampIndex'",
        "'ACHANGE'", "'ATRANSACTION'", "'ATRANSACTIONSTRING'", "'Z_PRIMARYKEY'",
      ]
    )
    let columns = try rows("name", "pragma_table_info('ACHANGE')").map { $0.dropFirst().dropLast() }
    #expect(
      columns == [
        "Z_PK", "Z_ENT", "Z_OPT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID",
        "ZCOLUMNS", "ZTOMBSTONE0", "ZTOMBSTONE1", "ZTOMBSTONE2", "ZTOMBSTONE3", "ZTOMBSTONE4",
        "ZTOMBSTONE5", "ZTOMBSTONE6",
      ]
    )
    #expect(try fixture.connection().integer("PRAGMA auto_vacuum") == 2)
  }

  @Test
  func `A change is a row with a bitmap of columns, highest bit first, and tombstone columns`()
    throws
  {
    let id = try store.insertItem(["gone", 7])
    try store.save([ObjectEdit(.update, id, columns: 0b1000_0010, version: 1, values: [8, "n"])])
    try store.save([ObjectEdit(.update, id, columns: 1, version: 2, values: ["last"])])
    try store.save([ObjectEdit(.delete, id, version: 3)])
    let columns =
      "Z_PK,Z_ENT,Z_OPT,ZCHANGETYPE,ZENTITY,ZENTITYPK,ZTRANSACTIONID,ZCOLUMNS,"
      + "ZTOMBSTONE0,ZTOMBSTONE1,ZTOMBSTONE2"
    #expect(
      try rows(columns, "ACHANGE ORDER BY Z_PK") == [
        "1 16001 NULL 0 1 1 1 NULL NULL NULL NULL", "2 16001 NULL 1 1 1 2 X'41' NULL NULL NULL",
        "3 16001 NULL 1 1 1 3 X'80' NULL NULL NULL", "4 16001 NULL 2 1 1 4 NULL 'last' 8 NULL",
      ]
    )
    let keys = try rows("Z_ENT,Z_NAME,Z_SUPER,Z_MAX", "Z_PRIMARYKEY")
    #expect(
      keys == [
        "1 'Item' 0 32", "2 'Tag' 0 0", "16001 'CHANGE' 0 4", "16002 'TRANSACTION' 0 4",
        "16003 'TRANSACTIONSTRING' 0 3",
      ]
    )
  }

  @Test func `A transaction refers to its strings and has its process and Z_OPT mark`()
    throws
  {
    _ = try store.insertItem()
    try store.add("batch", by: nil, context: "view")
    let token = try store.token(1)
    let strings = try rows("Z_PK,Z_ENT,ZNAME", "ATRANSACTIONSTRING ORDER BY Z_PK")
    #expect(
      strings == [
        "1 16003 'org.example'", "2 16003 'notesd writer=000000000000004d'", "3 16003 'app'",
        "4 16003 'notesd'", "5 16003 'view'",
      ]
    )
    let columns =
      "Z_PK,Z_ENT,Z_OPT,ZAUTHORTS,ZBUNDLEIDTS,ZCONTEXTNAMETS,ZPROCESSIDTS,ZTIMESTAMP,ZAUTHOR,"
      + "ZBUNDLEID,ZCONTEXTNAME,ZPROCESSID,ZQUERYGEN"
    let second = try store.token(2).mark
    let empty = "NULL NULL NULL NULL NULL"
    let transactions = try rows(columns, "ATRANSACTION ORDER BY Z_PK")
    #expect(
      transactions.first == "1 16002 \(token.mark) 3 1 NULL 2 1000.0 \(empty)"
    )
    #expect(transactions.last?.hasPrefix("2 16002 \(second) NULL 1 5 4 1000.00000") == true)
    let page = try store.fetch(HistoryRequest(after: nil))
    #expect(page.transactions.map(\.processID) == ["notesd", "notesd"])
    #expect(page.transactions.map(\.writer) == [WriterID(rawValue: 77), nil])
  }

  @Test func `A store of either layout opens in the layout that it was created with`() throws {
    var other = fixture
    other.configuration.layout = .packed
    try store.add("a")
    #expect(try other.open().numbers() == [1])
    try fixture.execute("UPDATE history_metadata SET value = 'woven' WHERE name = 'layout'")
    #expect(throws: HistoryError.self) { try fixture.open() }
  }

  @Test(arguments: [
    "ZCHANGETYPE = 3", "ZCHANGETYPE = NULL", "ZENTITY = 'x'", "ZENTITY = -1",
    "ZENTITY = 4294967297", "ZENTITYPK = NULL",
  ])
  func `An invalid change row is reported as damage of its transaction`(damage: String) throws {
    try store.add("a")
    try store.add("b")
    try fixture.execute("UPDATE ACHANGE SET \(damage) WHERE ZTRANSACTIONID = 2")
    #expect(throws: HistoryError.damagedTransaction(2)) { try store.numbers() }
  }
}

@Suite struct ProcessLabelTests {
  @Test(
    arguments: [
      (nil, 0, nil), ("notesd", 0, "notesd"), ("", 0, ""), (nil, 5, "writer=0000000000000005"),
      ("", 5, " writer=0000000000000005"), ("a b", -1, "a b writer=ffffffffffffffff"),
      ("writer=5", 0, "writer=5"),
      ("writer=0000000000000005", 0, "writer=0000000000000005 writer=0000000000000000"),
      ("x writer=0000000000000005", 7, "x writer=0000000000000005 writer=0000000000000007"),
      ("xwriter=0000000000000005", 0, "xwriter=0000000000000005"),
      ("writer=00000000000000zz", 0, "writer=00000000000000zz"),
      ("writer=+000000000000005", 0, "writer=+000000000000005"),
      ("é", 5, "é writer=0000000000000005"), ("\u{600}", 5, "\u{600} writer=0000000000000005"),
    ] as [(String?, Int64, String?)]
  )
  func `A label has one meaning`(name: String?, writer: Int64, text: String?) throws {
    let label = ProcessLabel(name: name, writer: writer)
    #expect(label.text == text)
    if let text { #expect(ProcessLabel(text) == label) }
  }
}

@Suite struct CoreDataBitmapTests {
  @Test(
    arguments: [
      ([], 0, []), ([0x80], 1, []), ([0x41], 0b1000_0010, []), ([0, 0x80], 0x100, []),
      ([0, 0, 0, 0, 0, 0, 0, 1], 1 << 63, []), ([0, 0, 0, 0, 0, 0, 0, 0, 0x80], 0, [1]),
      ([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0x06], 1, [0, 0x60]),
    ] as [([UInt8], UInt64, [UInt8])]
  )
  func `Bitmaps have the highest bit first and convert back`(
    bytes: [UInt8],
    columns: UInt64,
    rest: [UInt8]
  ) {
    let split = bytes.withUnsafeBytes { CoreDataBitmap.split($0) }
    #expect(split.columns == columns)
    #expect(split.rest == rest)
    var writer = ByteWriter()
    rest.withUnsafeBytes { CoreDataBitmap.append(columns, $0, to: &writer) }
    #expect(Array(writer.bytes) == bytes)
  }

  @Test func `Trailing zeros of a bitmap are ignored`() {
    let split = ([0x80] + Array(repeating: 0, count: 19) as [UInt8]).withUnsafeBytes {
      CoreDataBitmap.split($0)
    }
    #expect(split.columns == 1)
    #expect(split.rest == [])
  }
}
