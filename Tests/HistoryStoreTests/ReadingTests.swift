import Foundation
import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import Testing

/// A file with features that are rare in real ones: more than 64 columns, history that starts above
/// 1, tombstones of every storage class, an entity without a name.
enum WideFixture {
  static let rows = """
    ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE1 BLOB;
    CREATE TABLE Z_METADATA(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
    INSERT INTO Z_METADATA VALUES(1,'FE941CCE-3AF4-4243-907C-C2233C09008D',NULL);
    INSERT INTO Z_PRIMARYKEY VALUES(1,'Note',0,2),(3,'Folder',0,1),(16001,'CHANGE',0,6),
      (16002,'TRANSACTION',0,7),(16003,'TRANSACTIONSTRING',0,9);
    INSERT INTO ATRANSACTIONSTRING VALUES(1,16003,NULL,'app'),(4,16003,NULL,'view'),
      (7,16003,NULL,'notesd writer=000000000000004d');
    INSERT INTO ATRANSACTION(Z_PK,Z_ENT,ZAUTHORTS,ZCONTEXTNAMETS,ZPROCESSIDTS,ZTIMESTAMP) VALUES
      (5,16002,1,4,7,1000.0),(6,16002,NULL,NULL,7,999.0),(7,16002,1,NULL,NULL,999.0);
    INSERT INTO ACHANGE(Z_ENT,ZCHANGETYPE,ZENTITY,ZENTITYPK,ZTRANSACTIONID,ZCOLUMNS,ZTOMBSTONE0,
      ZTOMBSTONE1) VALUES
      (16001,1,1,1,5,x'800000000000000180000001',NULL,NULL),(16001,0,2,1,5,NULL,NULL,NULL),
      (16001,2,1,2,6,NULL,7,'words'),(16001,2,3,2,6,NULL,1.5,x'00ff'),(16001,2,9,2,6,NULL,NULL,'x');
    """

  static func make(at path: String) throws {
    try CoreDataFixture.make(at: path, CoreDataFixture.schema + rows)
  }
}

@Suite struct ReadingTests {
  let folder: InspectionFolder
  let path: String

  init() throws {
    folder = try InspectionFolder()
    path = folder.file("wide.sqlite")
    try WideFixture.make(at: path)
  }

  @Test func `A Core Data file returns its numbers, names, columns and tombstones`() throws {
    let store = try Store(reading: path)
    #expect(store.id.description == "FE941CCE-3AF4-4243-907C-C2233C09008D")
    #expect(store.model.entities.map(\.name) == ["Note", "Entity2", "Folder"])
    let page = try store.fetch(HistoryRequest(after: nil))
    #expect(page.transactions.map(\.number) == [5, 6, 7])
    #expect(page.transactions.map(\.author) == ["app", nil, "app"])
    #expect(page.transactions.map(\.contextName) == ["view", nil, nil])
    let process = "notesd writer=000000000000004d"
    #expect(page.transactions.map(\.processID) == [process, process, nil])
    #expect(page.transactions.allSatisfy { $0.writer == nil })
    #expect(page.changes.map(\.entityName) == ["Note", "Entity2", "Note", "Folder", nil])
    #expect(page.changes.first?.columnNumbers == [0, 63, 64, 95])
    #expect(page.changes.first?.updatedProperties == ["#0", "#63", "#64", "#95"])
    #expect(page.changes.first?.columns == 0x8000_0000_0000_0001)
    let tombstones = page.changes.map(\.tombstone)
    #expect(
      tombstones == [
        nil, nil, ["ZTOMBSTONE0": 7, "ZTOMBSTONE1": "words"],
        ["ZTOMBSTONE0": 1.5, "ZTOMBSTONE1": .data(Data([0, 255]))], nil,
      ]
    )
  }

  @Test func `Positions below the first transaction count as purged`() throws {
    let store = try Store(reading: path)
    let early = HistoryToken(store: store.id, number: 3, mark: 0)
    #expect(throws: HistoryError.expired(token: early, firstHeld: 5)) {
      try store.fetch(HistoryRequest(after: early))
    }
    let fifth = HistoryToken(store: store.id, number: 5, mark: 0)
    #expect(try store.numbers(after: fifth) == [6, 7])
    #expect(try store.numbers(afterSeconds: 999) == [5])
    #expect(try store.currentToken().number == 7)
    #expect(try store.members() == [])
  }

  @Test func `Reading modifies no file and creates none`() throws {
    let before = try folder.contents()
    let store = try Store(reading: path)
    _ = try store.numbers()
    var reader = try store.reader(HistoryRequest(after: nil))
    #expect(try reader.next()?.transactions.map(\.number) == [5, 6, 7])
    #expect(try reader.next() == nil)
    let sorted = "SELECT number FROM history_changes ORDER BY key DESC, number"
    #expect(try store.query(sorted).rows.count > 3)
    let refused = HistoryError.openForReading(path: path)
    #expect(throws: refused) { try store.purge() }
    #expect(throws: refused) { try store.join("app") }
    #expect(throws: refused) { try store.batchDelete("Note", by: BatchAuthor("app")) }
    #expect(throws: refused) { try store.watch { _ in } }
    #expect(try folder.contents() == before)
  }

  @Test func `A packed store opens for reading unchanged, in either layout`() throws {
    for layout in HistoryLayout.allCases {
      var fixture = try StoreFixture()
      fixture.configuration.layout = layout
      let store = try fixture.open()
      try store.add("a")
      try store.add("b")
      // The log is live, so it is copied.
      let reading = try Store(reading: fixture.path)
      try store.add("c")
      #expect(reading.id == store.id)
      #expect(try reading.numbers() == [1, 2])
      #expect(try Store(reading: fixture.path).numbers() == [1, 2, 3])
      #expect(throws: HistoryError.openForReading(path: fixture.path)) { try reading.add("d") }
      var reader = try reading.reader(HistoryRequest(after: nil))
      #expect(try reader.next()?.transactions.map(\.number) == [1, 2])
    }
  }

  @Test func `A file modified since it was opened is detected`() throws {
    let store = try Store(reading: path)
    try Connection(path: path).execute("UPDATE ATRANSACTION SET ZTIMESTAMP = 5 WHERE Z_PK = 7")
    let changed = InspectionError.changedSince(path: path)
    #expect(throws: HistoryError.unreadable(changed.description)) { try store.numbers() }
    #expect(throws: HistoryError.unreadable(changed.description)) { try store.currentToken() }
    #expect(try Store(reading: path).numbers() == [5, 6, 7])
  }

  @Test func `A file without a readable history is refused with a message`() throws {
    let text = try folder.write(Data("words words words words".utf8), to: "words")
    let empty = folder.file("none")
    try Connection(path: folder.file("other")).execute("CREATE TABLE a(b)")
    try CoreDataFixture.make(
      at: folder.file("narrow"),
      CoreDataFixture.schema + "ALTER TABLE ACHANGE DROP COLUMN ZENTITYPK;"
    )
    let expected: [(String, InspectionError)] = [
      (text, .notADatabase(path: text)), (empty, .notFound(path: empty)),
      (folder.file("other"), .foreignFile(path: folder.file("other"), tables: ["a"])),
      (
        folder.file("narrow"),
        .missingColumns(path: folder.file("narrow"), table: "ACHANGE", columns: ["ZENTITYPK"])
      ),
    ]
    for (path, error) in expected {
      #expect(throws: HistoryError.unreadable(error.description)) { try Store(reading: path) }
    }
  }
}
