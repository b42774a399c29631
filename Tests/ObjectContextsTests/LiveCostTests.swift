import CSQLite
import HistoryTypes
import StoreFixtures
import Synchronization
import TestSupport
import Testing

@testable import HistoryStore
@testable import ObjectContexts
@testable import SQLiteStorage

/// The cost of live queries in queries and in steps of SQLite's virtual machine.
struct `The cost of a live query` {
  let folder: TemporaryFolder
  let context: ObjectContext
  let other: ObjectContext
  let ids: [ObjectID]

  init() throws { try self.init(rowCount: 100) }

  private init(rowCount: Int) throws {
    folder = try TemporaryFolder()
    let item = Entity(
      "Item",
      [Attribute("title", .string), Attribute("count", .int)],
      indexes: [["count"]]
    )
    let model = try Model([item])
    let path = folder.path("store")
    context = ObjectContext(store: try Store(path: path, model: model), mergePolicy: .objectWins)
    other = ObjectContext(store: try Store(path: path, model: model), mergePolicy: .objectWins)
    let rows = (0..<rowCount).map { ["title": Value.string("t\($0)"), "count": .int(Int64($0))] }
    ids = try other.store.batchInsert(
      into: "Item",
      rows,
      by: BatchAuthor("import"),
      result: .objectIDs
    ).objectIDs
  }

  /// Starts a query of the ten least counts from 5 on, and reads its first result.
  private func live() throws -> LiveReader {
    let live = try context.liveObjects(
      "Item",
      where: .compare("count", .greaterOrEqual, 5),
      sortedBy: ["count"],
      limit: 10
    )
    let reader = try #require(live.makeAsyncIterator().reader)
    guard case .result(let first) = try reader.evaluate() else { throw Missing() }
    #expect(first.objectIDs == Array(ids[5..<15]))
    return reader
  }

  private struct Missing: Error {}

  /// Merges what a write of the other context commits, and returns what the evaluation costs.
  private func cost(_ reader: LiveReader, _ write: () throws -> Void) throws -> (Work, [ObjectID]?)
  {
    let start = try context.store.currentToken()
    try write()
    try context.merge(try context.store.fetch(HistoryRequest(after: start)).transactions)
    var found: [ObjectID]?
    let work = try context.store.work {
      if case .result(let result) = try reader.evaluate() { found = result.objectIDs }
    }
    return (work, found)
  }

  @Test func `A value that was null and is empty has changed`() throws {
    let live = try context.liveObjects("Item", limit: 1)
    let reader = try #require(live.makeAsyncIterator().reader)
    let object = try #require(try context.object(ids[0]))
    try object.set(.null, for: "title")
    _ = try reader.evaluate()
    try object.set("", for: "title")
    guard case .result(let result) = try reader.evaluate() else { throw Missing() }
    #expect(result.updated == [ids[0]] && result.difference.isEmpty)
  }

  @Test func `A change outside the result that cannot enter it costs no query`() throws {
    let reader = try live()
    // An attribute that the query does not use, an object that was deleted, an object of its own.
    let (title, _) = try cost(reader) { try other.save("new", for: "title", of: ids[50]) }
    #expect(title == Work())
    let (delete, _) = try cost(reader) {
      other.delete(ids[51])
      try other.save()
    }
    #expect(delete == Work())
    let object = try context.object(ids[52])
    let (registered, none) = try cost(reader) { try other.save(1, for: "count", of: ids[52]) }
    #expect(try registered == Work() && none == nil && object?["count"] == 1)
    try context.object(ids[53])?.set(2, for: "count")
    let edited = try context.store.work { _ = try reader.evaluate() }
    #expect(edited == Work())
    // Whether an unregistered object matches is known only from its row.
    let (unknown, nothing) = try cost(reader) { try other.save(1, for: "count", of: ids[54]) }
    #expect(unknown.queryCount == 1 && nothing == nil)
  }

  @Test func `A foreign update of a limited query costs the same for any number of rows`() throws {
    var costs: [[Work]] = []
    for rowCount in [100, 10_000] {
      let large = try Self(rowCount: rowCount)
      let reader = try large.live()
      let (enters, first) = try large.cost(reader) {
        try large.other.save(5, for: "count", of: large.ids[90])
      }
      #expect(first?[1] == large.ids[90])
      let (leaves, second) = try large.cost(reader) {
        try large.other.save(0, for: "count", of: large.ids[7])
      }
      #expect(second?.contains(large.ids[7]) == false && second?.count == 10)
      costs.append([enters, leaves])
    }
    #expect(costs[0] == costs[1])
    #expect(costs[1].allSatisfy { $0.queryCount <= 1 && $0.stepCount < 100 }, "\(costs[1])")
  }

  @Test func `A limited query is read again when its spare objects are used up`() throws {
    let reader = try live()
    var counts: [Int] = []
    for index in 5..<45 {
      let (work, found) = try cost(reader) {
        other.delete(ids[index])
        try other.save()
      }
      #expect(found == Array(ids[index + 1..<index + 11]))
      counts.append(work.queryCount)
    }
    #expect(counts.reduce(0, +) == 6 && counts.max() == 1)
  }

  @Test func `A changed object copies two of the chunks of keys in which a long list is stored`()
    throws
  {
    let long = try Self(rowCount: 5_000)
    let live = try long.context.liveObjects("Item", sortedBy: ["count"])
    let reader = try #require(live.makeAsyncIterator().reader)
    guard case .result = try reader.evaluate() else { throw Missing() }
    let old = try long.keys()
    #expect(old.count == 5_000 && old.chunks.count == 10)
    let (_, found) = try long.cost(reader) {
      try long.other.save(5, for: "count", of: long.ids[4_000])
    }
    #expect(found?[6] == long.ids[4_000] && found?[4_001] == long.ids[4_001])
    #expect(try long.keys().copiedChunkCount(since: old) == 2)
    let (_, unmoved) = try long.cost(reader) {
      try long.other.save("new", for: "title", of: long.ids[9])
    }
    #expect(unmoved == found)
    #expect(try long.keys().copiedChunkCount(since: old) == 2)
  }

  /// The keys of the context's live query.
  private func keys() throws -> ChunkedKeys {
    try #require(context.state.withLock { $0.watches.watches.first?.list.keys })
  }
}

/// What SQLite did for a closure.
struct Work: Equatable {
  var queryCount = 0
  var stepCount = 0
}

extension Store {
  /// Counts the queries of this store's connection, and their steps, while a closure runs.
  func work(_ body: () throws -> Void) throws -> Work {
    let work = UnsafeMutablePointer<Work>.allocate(capacity: 1)
    work.initialize(to: Work())
    defer { work.deallocate() }
    try trace(work)
    defer { try? trace(nil) }
    try body()
    return work.pointee
  }

  /// Counts each statement at its end (https://sqlite.org/c3ref/c_trace.html).
  private func trace(_ work: UnsafeMutablePointer<Work>?) throws {
    try locked { core in
      let events = work == nil ? 0 : UInt32(SQLITE_TRACE_PROFILE)
      sqlite3_trace_v2(
        core.connection.handle,
        events,
        { _, work, statement, _ in
          guard let work, let statement else { return 0 }
          let handle = OpaquePointer(statement)
          let steps = Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1))
          let text = sqlite3_sql(handle).map { String(cString: $0) } ?? ""
          guard text.hasPrefix("SELECT") else { return 0 }
          let counted = work.assumingMemoryBound(to: Work.self)
          counted.pointee.queryCount += 1
          counted.pointee.stepCount += steps
          return 0
        },
        work
      )
    }
  }
}
