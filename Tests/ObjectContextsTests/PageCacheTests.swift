import CSQLite
import Foundation
import HistoryTypes
import TestSupport
import Testing

@testable import HistoryStore
@testable import ObjectContexts
@testable import SQLiteStorage

/// The pages that SQLite keeps in memory after reads that return more bytes than the limit, 2 MiB.
struct `The page cache after large reads` {
  private static let names = ["A", "B", "C"]
  private let folder: TemporaryFolder
  private let context: ObjectContext

  /// Fills three entities with 1.5 MB each.
  init() throws {
    folder = try TemporaryFolder()
    let model = try Model(Self.names.map { Entity($0, [Attribute("body", .data)]) })
    let path = folder.path("store")
    let writer = try Store(path: path, model: model)
    let row = ["body": Value.data(Data(repeating: 7, count: 1000))]
    for name in Self.names {
      try writer.batchInsert(
        into: name,
        repeatElement(row, count: 1500),
        by: BatchAuthor("import")
      )
    }
    context = ObjectContext(store: try Store(path: path, model: model))
  }

  /// Returns the bytes of the pages in the cache of the context's connection.
  private func cachedByteCount() throws -> Int {
    try context.store.locked { core in
      var (count, highest): (Int32, Int32) = (0, 0)
      let handle = core.connection.handle
      #expect(
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &count, &highest, 0) == SQLITE_OK
      )
      return Int(count)
    }
  }

  @Test func `A load of several entities keeps few pages, although each is below the limit`() throws
  {
    try context.loadAll()
    #expect(try Self.names.allSatisfy { try context.registeredObjects($0).count == 1500 })
    #expect(try cachedByteCount() < 3 << 20)
  }

  @Test func `A query below the limit keeps its pages for the next one`() throws {
    #expect(try context.objects("A").count == 1500)
    #expect(try cachedByteCount() > 3 << 19)
  }
}
