import Foundation
import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import Testing

@testable import HistoryInspection

/// Compares outlines with plain SQL, over files written by Core Data if the checkout has some, and
/// over the tests' own file everywhere.
@Suite struct OutlineOfFilesTests {
  @Test(arguments: StoreAtHand.all)
  func `An outline agrees with SQL`(store: StoreAtHand) throws {
    try store.withPath { path in
      let outline = try StoreInspector().outline(of: path)
      let sql = try OutlineSQL(path)
      #expect(try outline.numbers == sql.numbers("SELECT Z_PK FROM ATRANSACTION ORDER BY 1"))
      #expect(
        try outline.changeCounts.map(Int64.init)
          == sql.numbers(
            """
            SELECT (SELECT count(*) FROM ACHANGE c WHERE c.ZTRANSACTIONID = t.Z_PK)
            FROM ATRANSACTION t ORDER BY Z_PK
            """
          )
      )
      #expect(
        try zip(outline.numbers, outline.authorIndexes).map { number, author in
          "\(number) \(outline.authors[Int(author)].name.text)"
        }
          == sql.texts(
            """
            SELECT t.Z_PK || ' ' || coalesce(s.ZNAME, t.ZAUTHOR, '(none)') FROM ATRANSACTION t
            LEFT JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS ORDER BY t.Z_PK
            """
          )
      )
      #expect(
        try outline.entities.map { "\($0.name.text) \($0.changes.all)" }.sorted()
          == sql.texts(
            """
            SELECT coalesce(k.Z_NAME, '#' || c.ZENTITY) || ' ' || count(*) FROM ACHANGE c
            LEFT JOIN Z_PRIMARYKEY k ON k.Z_ENT = c.ZENTITY GROUP BY c.ZENTITY
            """
          ).sorted()
      )
      let bytes = outline.bytes.reduce(0.0) { $0 + Double($1) }
      let tables = (outline.storage.tables ?? []).filter { $0.name != "ATRANSACTIONSTRING" }
      let expected = tables.reduce(0.0) { $0 + Double($1.tableBytes + $1.indexBytes) }
      #expect(abs(bytes - expected) <= expected / 1000)
      #expect(try outline.vacuum.rawValue == sql.numbers("PRAGMA auto_vacuum").first)
    }
  }

  @Test(arguments: StoreAtHand.all)
  func `An outline agrees with the census of the same file`(store: StoreAtHand) throws {
    try store.withPath { path in
      let outline = try StoreInspector().outline(of: path)
      let census = try StoreInspector().census(of: path)
      #expect(outline.count == census.transactions)
      #expect(outline.entities == census.entities)
      #expect(outline.storage == census.storage)
      #expect(outline.hasMirrorTables == census.hasMirrorTables)
      #expect(outline.isOurs == census.isOurs && outline.layout == census.layout)
    }
  }

  @Test func `A bitmap of columns names the attributes by number, most updated first`() throws {
    let folder = try InspectionFolder()
    try CoreDataFixture.make(at: folder.file("a"))
    let outline = try StoreInspector().outline(of: folder.file("a"))
    let note = CensusName.known("Note")
    #expect(
      outline.attributes == [
        AttributeCount(entity: note, attribute: "#0", updates: 2),
        AttributeCount(entity: note, attribute: "#1", updates: 1),
      ]
    )
    #expect(outline.timestamps == [1000, 1000.001, 1000.001, 1060.001, 1059])
    #expect(outline.orphanChanges == 0 && outline.store == nil)
  }

  @Test func `Changes without a transaction are orphans, and no timestamp is NaN`() throws {
    let folder = try InspectionFolder()
    let rows = CoreDataFixture.schema + CoreDataFixture.rows + CoreDataFixture.oddRows
    try CoreDataFixture.make(at: folder.file("a"), rows)
    let outline = try StoreInspector().outline(of: folder.file("a"))
    #expect(outline.orphanChanges == 3)
    #expect(outline.timestamps.last?.isNaN == true)
    #expect(outline.authors.last?.name == .number(99))
  }
}

/// Outlines of stores of this library, and purges measured on copies of them.
@Suite(.inEveryLayout) struct OutlineOfStoresTests {
  private static let mirror = "NSCloudKitMirroringDelegate.import"
  let fixture: StoreFixture
  let store: Store

  /// Six transactions with one to three changes; the mirror's third is protected.
  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
    for (index, author) in ["app", "widget", Self.mirror, nil, "app", "app"].enumerated() {
      try store.add(Array(repeating: "t", count: index % 3 + 1), by: author)
    }
  }

  @Test func `An outline has the transactions, authors, attributes and members`() throws {
    _ = try store.join("reader")
    try store.batchUpdate(
      "Item",
      where: .compare("title", .equal, "t"),
      set: ["count": 1, "note": "x"],
      by: BatchAuthor("app")
    )
    let outline = try StoreInspector().outline(of: fixture.path)
    #expect(outline.isOurs && outline.numbers == [1, 2, 3, 4, 5, 6, 7])
    #expect(outline.changeCounts == [1, 2, 3, 1, 2, 3, 12])
    #expect(outline.authors.map(\.name.text) == ["app", "widget", Self.mirror, "(none)"])
    #expect(outline.authors.map(\.isProtected) == [false, false, true, false])
    #expect(outline.authors.map(\.isMirror) == [false, false, true, false])
    #expect(Set(outline.attributes.map(\.attribute)) == ["count", "note"])
    #expect(outline.attributes.map(\.updates) == [12, 12])
    #expect(outline.store == store.id.description.uppercased())
    #expect(outline.watermark == 6 && outline.members?.map(\.name) == ["reader"])
  }

  @Test func `Purged transactions whose rows are left are not in an outline`() throws {
    let layout = fixture.layout
    try fixture.execute(
      """
      UPDATE history_author SET purged = 4 WHERE string NOT IN
        (SELECT \(layout.stringNumber) FROM \(layout.strings)
        WHERE \(layout.stringText) = '\(Self.mirror)')
      """
    )
    let outline = try StoreInspector().outline(of: fixture.path)
    #expect(outline.numbers == [3, 5, 6])
    #expect(outline.changeCounts == [3, 2, 3])
  }

  @Test func `A trial deletes the named transactions, but only from a copy`() throws {
    for _ in 0..<60 { try store.add(Array(repeating: "text", count: 40), by: "app") }
    let before = try store.heldNumbers()
    let bytes = try FileBytes(fixture.path)
    let outline = try StoreInspector().outline(of: fixture.path)
    let gone = outline.numbers.filter { $0 % 2 == 0 || $0 > 20 }
    var time = 0.0
    let trial = try StoreInspector().trial(of: fixture.path, deleting: gone) {
      time += 1
      return time
    }
    #expect(trial.transactions == gone.count)
    let changes = zip(outline.numbers, outline.changeCounts)
      .filter { gone.contains($0.0) }.reduce(0) { $0 + Int($1.1) }
    // Small transactions of the packed layout have no rows of changes.
    #expect(trial.changeRows == (fixture.layout == .coreData ? changes : 0))
    #expect(trial.freedPages > 0 && trial.bytesAfter < trial.bytesBefore)
    #expect(trial.chunks == 1 && trial.seconds == 1 && trial.lockSecondsMax == 1)
    #expect(trial.shrinkSeconds == 1)
    #expect(try store.heldNumbers() == before)
    #expect(try FileBytes(fixture.path) == bytes)
  }

  @Test func `A trial of a store of this library has chunks of a thousand transactions`() throws {
    try fixture.execute(
      "WITH RECURSIVE n(i) AS (SELECT 7 UNION ALL SELECT i + 1 FROM n WHERE i < 2500) "
        + fixture.layout.copyOfFirst
    )
    let numbers = (1...2400).map(Int64.init)
    let trial = try StoreInspector().trial(of: fixture.path, deleting: numbers) { 0 }
    #expect(trial.chunks == 3 && trial.transactions == 2400)
  }

  @Test func `A trial of a store of this library ends a chunk where its rows are too many`() throws
  {
    try fixture.execute(fixture.layout.manyRowsForFour)
    let trial = try StoreInspector().trial(of: fixture.path, deleting: [1, 2, 3, 4]) { 0 }
    #expect(trial.chunks == 4 && trial.transactions == 4)
  }
}

/// The bytes of a store and of its log.
private struct FileBytes: Equatable {
  let file: [UInt8]
  let log: [UInt8]

  init(_ path: String) throws {
    file = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
    log = try Array(Data(contentsOf: URL(fileURLWithPath: path + "-wal")))
  }
}

/// Answers of SQL that shares no code with the outline.
private struct OutlineSQL: ~Copyable {
  private let connection: Connection

  init(_ path: String) throws {
    var options = ConnectionOptions()
    options.access = .immutable
    connection = try Connection(path: path, options)
  }

  func numbers(_ sql: String) throws -> [Int64] {
    let query = try Statement(connection, sql)
    var numbers: [Int64] = []
    while try query.step() { numbers.append(query.int(0)) }
    return numbers
  }

  func texts(_ sql: String) throws -> [String] {
    let query = try Statement(connection, sql)
    var texts: [String] = []
    while try query.step() { texts.append(query.text(0) ?? "") }
    return texts
  }
}
