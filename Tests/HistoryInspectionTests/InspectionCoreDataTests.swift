import HistoryStore
import StoreFixtures
import Testing

@testable import HistoryInspection

@Suite struct InspectionCoreDataTests {
  private func census(_ sql: String) throws -> HistoryCensus {
    let folder = try InspectionFolder()
    try CoreDataFixture.make(at: folder.file("store.sqlite"), sql)
    return try StoreInspector(temporaryFolder: folder.path).census(of: folder.file("store.sqlite"))
  }

  private let sound = CoreDataFixture.schema + CoreDataFixture.rows

  @Test func `Transactions, changes and strings are counted`() throws {
    let census = try census(sound)
    #expect(census.layout == .coreData)
    #expect(census.transactions == 5)
    #expect(census.changes == 6)
    #expect(census.strings == 3)
    #expect(census.purgedTransactions == 0)
    #expect(census.oddities == CensusOddities())
  }

  @Test func `Changes are counted by type and by entity`() throws {
    let census = try census(sound)
    #expect((census.types.inserts, census.types.updates, census.types.deletes) == (3, 2, 1))
    #expect(census.entities.map(\.name) == [.known("Note"), .known("Folder")])
    #expect(census.entities.map(\.changes.all) == [5, 1])
    #expect(census.entities[0].changes.updates == 2)
  }

  @Test func `An author is counted once, by string or by text, and nil too`() throws {
    let authors = try census(sound).authors
    #expect(authors.map(\.name) == [.known("app"), .absent, .known("widget")])
    #expect(authors.map(\.transactions) == [3, 1, 1])
    #expect(authors.map(\.changes) == [5, 0, 1])
  }

  @Test func `Changes of a transaction are counted wherever they lie in the file`() throws {
    let sizes = try census(sound).changesPerTransaction
    #expect(sizes.buckets(perOctave: 8).map(\.from) == [0, 1, 3])
    #expect(sizes.buckets(perOctave: 8).map(\.count) == [1, 3, 1])
    #expect(sizes.mean == 6.0 / 5)
    #expect(sizes.greatest == 3)
    #expect(try census(sound).transactionsWithoutChanges == 1)
  }

  @Test func `Time is compared between neighbours in commit order`() throws {
    let census = try census(sound)
    #expect(census.span == 1000.0...1060.001)
    #expect(census.ties == 1)
    #expect(census.stepsBack == 1)
    #expect(census.gaps.count == 3)
    #expect(census.gaps.greatest == 60_000_000)
    #expect(census.gapBands.counts == [2, 0, 0, 0, 0, 1, 0, 0, 0, 0])
  }

  @Test func `Inconsistencies are counted and reported`() throws {
    let census = try census(sound + CoreDataFixture.oddRows)
    #expect(census.transactions == 6)
    #expect(census.changes == 9)
    #expect(census.oddities.orphanChanges == 3)
    #expect(census.oddities.unknownAuthors == 1)
    #expect(census.oddities.unreadableTimestamps == 1)
    #expect(census.types.others == 1)
    #expect(census.authors.contains { $0.name == .number(99) })
    #expect(census.entities.contains { $0.name == .number(7) })
    #expect(census.changesPerTransaction.greatest == 3)
  }

  @Test func `Join tables of many-to-many relationships are known, and are no entities`() throws {
    let census = try census(CoreDataFixture.schema + CoreDataFixture.joinedRows)
    #expect(census.entities.map(\.name) == [.known("Tag"), .known("Note")])
    #expect(census.entities.map(\.changes.all) == [10, 5])
    #expect((census.types.inserts, census.types.updates, census.types.deletes) == (5, 9, 1))
    #expect(census.unknownTables.isEmpty && census.missingTables.isEmpty)
    #expect(census.oddities == CensusOddities())
  }

  @Test func `Updates of relationships are counted at their places in the bitmap`() throws {
    let folder = try InspectionFolder()
    let path = folder.file("joined.sqlite")
    try CoreDataFixture.make(at: path, CoreDataFixture.schema + CoreDataFixture.joinedRows)
    let outline = try StoreInspector(temporaryFolder: folder.path).outline(of: path)
    #expect(
      outline.attributes.map { "\($0.entity.text).\($0.attribute): \($0.updates)" }
        == ["Note.#0: 3", "Tag.#1: 3", "Tag.#2: 3", "Note.#1: 1", "Tag.#0: 1"]
    )
    #expect(outline.changeCounts == [5, 4, 1, 2, 3] && outline.orphanChanges == 0)
  }

  @Test func `A file older than the table of strings is read from its text columns`() throws {
    let census = try census(
      """
      CREATE TABLE ATRANSACTION(Z_PK INTEGER PRIMARY KEY, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR);
      CREATE TABLE ACHANGE(Z_PK INTEGER PRIMARY KEY, ZCHANGETYPE INTEGER, ZENTITY INTEGER,
        ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER);
      INSERT INTO ATRANSACTION VALUES(1, 5, 'old'),(2, 6, NULL);
      INSERT INTO ACHANGE VALUES(1, 0, 3, 1, 2);
      """
    )
    #expect(census.authors.map(\.name) == [.absent, .known("old")])
    #expect(census.entities.map(\.name) == [.number(3)])
    #expect(census.strings == 0)
    #expect(census.span == 5.0...6.0)
  }

  @Test func `An empty history has no span, authors or gaps`() throws {
    let census = try census(CoreDataFixture.schema)
    #expect(census.transactions == 0)
    #expect(census.span == nil)
    #expect(census.authors.isEmpty)
    #expect(census.gaps.value(at: 0.5) == nil)
    #expect(census.changesPerTransaction.mean == nil)
  }

  @Test func `Bytes are counted for the file and for history's tables and indexes`() throws {
    let storage = try census(sound).storage
    #expect(storage.fileBytes == storage.pageCount * storage.pageBytes)
    let tables = try #require(storage.tables)
    #expect(tables.map(\.name) == ["ATRANSACTION", "ACHANGE", "ATRANSACTIONSTRING"])
    #expect(tables.map(\.tableBytes) == Array(repeating: storage.pageBytes, count: 3))
    #expect(tables.map(\.indexBytes) == [6, 1, 1].map { $0 * storage.pageBytes })
    #expect(storage.historyBytes == 11 * storage.pageBytes)
  }
}
