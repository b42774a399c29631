import Foundation
import HistoryStore
import HistoryTypes
import SQLiteStorage
import StoreFixtures
import Testing

@testable import HistoryInspection

@Suite struct InspectionPackedTests {
  private let folder: InspectionFolder
  private let clock = TestClock()
  private let store: Store

  /// A clock that a test sets.
  private final class TestClock: @unchecked Sendable {
    var now = 1000.0
  }

  init() throws {
    folder = try InspectionFolder()
    let model = try Model([Entity("Note", [Attribute("size", .int)]), Entity("Folder", [])])
    var configuration = StoreConfiguration()
    configuration.timestamps = .wallClock
    configuration.clock = { [clock] in Date(timeIntervalSinceReferenceDate: clock.now) }
    store = try Store(path: folder.file("store.db"), model: model, configuration: configuration)
  }

  private func insert(_ count: Int, into entity: String, by author: String?, at time: Double) throws
  {
    clock.now = time
    var rest = count
    _ = try store.batchInsert(into: entity, by: BatchAuthor(author)) { _ in
      rest -= 1
      return rest >= 0
    }
  }

  private func census() throws -> HistoryCensus {
    try StoreInspector(temporaryFolder: folder.path).census(of: store.path)
  }

  @Test func `Changes of the model are counted, and the history is read with its newest names`()
    throws
  {
    try insert(1, into: "Note", by: "app", at: 1000)
    #expect(try census().migrations == 0)
    let newer = try Model(
      [
        Entity("Remark", [Attribute("size", .double)], renamingIdentifier: "Note"),
        Entity("Folder", []),
      ],
      version: 2
    )
    _ = try Store(path: store.path, model: newer)
    try insert(1, into: "Note", by: "app", at: 1001)
    let census = try census()
    #expect(census.migrations == 1)
    #expect(census.transactions == 3 && census.transactionsWithoutChanges == 1)
    #expect(census.entities.map(\.name) == [.known("Remark")])
    #expect(census.unknownTables == [] && census.missingTables == [])
  }

  @Test func `Transactions, changes, authors and entities of a packed store are counted`() throws {
    try insert(3, into: "Note", by: "app", at: 1000)
    try insert(2, into: "Folder", by: nil, at: 1000.5)
    _ = try store.batchDelete("Note", where: .all([]), by: BatchAuthor("widget"))
    let census = try census()
    #expect(census.layout == .packed)
    #expect(census.transactions == 3)
    #expect(census.changes == 8)
    #expect(census.strings == 2)
    #expect((census.types.inserts, census.types.deletes) == (5, 3))
    #expect(census.authors.map(\.name) == [.absent, .known("app"), .known("widget")])
    #expect(census.authors.map(\.changes) == [2, 3, 3])
    #expect(census.entities.map(\.name) == [.known("Note"), .known("Folder")])
    #expect(census.span == 1000.0...1000.5)
    #expect(census.ties == 1)
    #expect(census.oddities == CensusOddities())
  }

  @Test func `A transaction in chunks is counted as a whole`() throws {
    try insert(30_000, into: "Note", by: "app", at: 1000)
    let census = try census()
    #expect(census.changes == 30_000)
    #expect(census.changesPerTransaction.greatest == 30_000)
    #expect(census.oddities == CensusOddities())
    let held =
      try Connection(path: store.path)
      .integer("SELECT count(*) FROM history_chunk") ?? 0
    #expect(held > 1)
  }

  @Test func `Purged transactions that wait for deletion are counted separately`() throws {
    try insert(1, into: "Note", by: "app", at: 1000)
    try insert(1, into: "Note", by: "app", at: 1001)
    try Connection(path: store.path)
      .execute("UPDATE history_author SET purged = 1 WHERE string <> 0")
    let census = try census()
    #expect(census.transactions == 1)
    #expect(census.purgedTransactions == 1)
    #expect(census.changes == 1)
  }

  @Test func `A store in the Core Data layout has the same counts`() throws {
    var configuration = StoreConfiguration()
    configuration.layout = .coreData
    configuration.timestamps = .wallClock
    let path = folder.file("rows.db")
    let store = try Store(path: path, model: store.model, configuration: configuration)
    for author in ["app", "widget", "app"] {
      var rest = 1
      _ = try store.batchInsert(into: "Folder", by: BatchAuthor(author)) { _ in
        rest -= 1
        return rest >= 0
      }
    }
    try Connection(path: path).execute("UPDATE history_author SET purged = 1 WHERE string <> 0")
    let census = try StoreInspector(temporaryFolder: folder.path).census(of: path)
    #expect(census.layout == .coreData)
    #expect(census.isOurs)
    #expect(census.transactions == 2)
    #expect(census.purgedTransactions == 1)
    #expect(census.changes == 2)
    #expect(census.authors.map(\.name) == [.known("app"), .known("widget")])
    #expect(census.oddities == CensusOddities())
  }

  @Test func `Unreadable changes are reported, and the others are counted`() throws {
    try insert(1, into: "Note", by: "app", at: 1000)
    try insert(1, into: "Note", by: "app", at: 1001)
    try insert(1, into: "Note", by: "app", at: 1002)
    try Connection(path: store.path).execute(
      """
      UPDATE history_transaction SET changes = x'ff' WHERE number = 1;
      UPDATE history_transaction SET count = 7 WHERE number = 2;
      """
    )
    let census = try census()
    #expect(census.transactions == 3)
    #expect(census.changes == 2)
    #expect(census.oddities.unreadableTransactions == 2)
  }

  @Test func `The counts equal those of a fetch of everything`() throws {
    for round in 1...20 {
      try insert(round, into: round % 3 == 0 ? "Folder" : "Note", by: "a\(round % 4)", at: 1000)
    }
    let page = try store.fetch(HistoryRequest(after: nil, transactionCountMax: 100))
    let census = try census()
    #expect(census.transactions == page.transactions.count)
    #expect(census.changes == page.changes.count)
    for author in census.authors {
      let own = page.transactions.filter { .known($0.author ?? "") == author.name }
      #expect(own.count == author.transactions)
    }
  }
}
