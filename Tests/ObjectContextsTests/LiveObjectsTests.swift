import HistoryStore
import HistoryTypes
import StoreFixtures
import Testing

@testable import ObjectContexts

@Suite(.inEveryLayout) struct `A live query` {
  let file: StoreFile
  let context: ObjectContext
  let other: ObjectContext
  let ids: [ObjectID]

  init() throws {
    file = try StoreFile()
    context = try file.context("app", .objectWins)
    other = try file.context("widget", .objectWins)
    let other = other
    ids = try zip(["a", "b", "c", "d"], [1, 2, 2, 3]).map { try other.savedItem($0, count: $1) }
  }

  /// Merges everything that the other context has saved after a position.
  private func merge(after start: HistoryToken) throws {
    try context.merge(try context.store.fetch(HistoryRequest(after: start)).transactions)
  }

  private func live(
    _ predicate: ObjectPredicate? = nil,
    sectionedBy section: ObjectOrder? = nil,
    limit: Int? = nil,
    offset: Int = 0
  ) throws -> LiveObjects.Iterator {
    try context.liveObjects(
      "Item",
      where: predicate,
      sortedBy: ["title"],
      sectionedBy: section,
      limit: limit,
      offset: offset
    ).makeAsyncIterator()
  }

  @Test func `The first element is the whole result, and saves and merges bring differences`()
    throws
  {
    let lists = try live(.compare("count", .greater, 1), limit: 3)
    let first = try #require(try now(lists))
    #expect(first.objectIDs == Array(ids[1...3]) && first.map(\.id) == first.objectIDs)
    #expect(first.difference.insertions.count == 3 && first.updated.isEmpty)
    let start = try other.store.currentToken()
    try other.save("bb", for: "title", of: ids[2])
    try other.save("a", for: "title", of: ids[3])
    let new = try other.savedItem("0", count: 9)
    try merge(after: start)
    let second = try #require(try now(lists))
    #expect(second.objectIDs == [new, ids[3], ids[1]])
    #expect(first.objectIDs.applying(second.difference) == second.objectIDs)
    #expect(second.updated == [ids[3]] && second.first?.context == context)
    #expect(
      second.difference.removals == [
        .remove(offset: 1, element: ids[2], associatedWith: nil),
        .remove(offset: 2, element: ids[3], associatedWith: 1),
      ]
    )
    try context.object(ids[1])?.set(0, for: "count")
    let third = try #require(try now(lists))
    #expect(third.objectIDs == [new, ids[3], ids[2]] && third.updated.isEmpty)
    try context.save()
    try context.object(ids[2])?.set(5, for: "count")
    let fourth = try #require(try now(lists))
    #expect(fourth.difference.isEmpty && fourth.updated == [ids[2]])
  }

  @Test
  func `The edges of a result with an offset move by as many objects as come or go before it`()
    throws
  {
    let lists = try live(limit: 2, offset: 1)
    #expect(try now(lists)?.objectIDs == Array(ids[1...2]))
    context.delete(ids[0])
    let shorter = try #require(try now(lists))
    #expect(shorter.objectIDs == Array(ids[2...3]) && shorter.difference.count == 2)
    let new = try context.insert("Item", ["title": "0"])
    let back = try #require(try now(lists))
    #expect(back.objectIDs == Array(ids[1...2]) && back.difference.count == 2)
    try new.set("bb", for: "title")
    #expect(try now(lists)?.objectIDs == [new.id, ids[2]])
  }

  @Test func `A limited result that grew far beyond its limit shrinks to the right objects`() throws
  {
    let lists = try live(.compare("count", .equal, 9), limit: 1)
    #expect(try now(lists)?.isEmpty == true)
    let items = try (0..<9).reversed().map {
      try context.insert("Item", ["title": .string("\($0)"), "count": 9])
    }
    for item in items.reversed() {
      #expect(try now(lists)?.objectIDs == [item.id])
      item.delete()
    }
    #expect(try now(lists)?.isEmpty == true)
  }

  @Test func `An object that enters a limited result has the values that the list has read`() throws
  {
    try context.loadAll()
    let start = try other.store.currentToken()
    try other.save(7, for: "count", of: ids[1])
    let lists = try live(limit: 1)
    #expect(try now(lists)?.objectIDs == [ids[0]])
    try context.object(ids[0])?.delete()
    #expect(try now(lists)?.objectIDs == [ids[1]])
    var seen = try context.object(ids[1])?["count"]
    try merge(after: start)
    if let result = try now(lists), result.updated.contains(ids[1]) {
      seen = try context.object(ids[1])?["count"]
    }
    #expect(try seen == 7 && context.object(ids[1])?["count"] == 7)
  }

  @Test func `An object that enters with a value that is not merged yet gets its old value back`()
    throws
  {
    let lists = try live(limit: 1)
    let start = try other.store.currentToken()
    #expect(try now(lists)?.objectIDs == [ids[0]])
    try other.save(7, for: "count", of: ids[1])
    // Another query registers the new row, and the object enters the result with it.
    #expect(try context.objects("Item").count == 4)
    try context.object(ids[0])?.delete()
    #expect(try now(lists)?.objectIDs == [ids[1]])
    #expect(try context.object(ids[1])?["count"] == 7)
    try other.save(2, for: "count", of: ids[1])
    try merge(after: start)
    #expect(try now(lists)?.updated == [ids[1]])
    #expect(try context.object(ids[1])?["count"] == 2)
  }

  @Test func `A slow reader receives one difference, and none for changes that were undone`()
    async throws
  {
    let lists = try live()
    let reader = try #require(lists.reader)
    guard case .result = try reader.evaluate() else { throw Missing() }
    for title in ["x", "y", "z"] { try context.object(ids[0])?.set(.string(title), for: "title") }
    context.delete(ids[1])
    guard case .result(let result) = try reader.evaluate() else { throw Missing() }
    #expect(result.objectIDs == [ids[2], ids[3], ids[0]] && result.updated == [ids[0]])
    #expect(try result.map { try $0["title"] } == ["c", "d", "z"])
    context.rollback()
    guard case .result(let back) = try reader.evaluate() else { throw Missing() }
    #expect(back.objectIDs == ids)
    try context.object(ids[0])?.set("x", for: "title")
    context.rollback()
    guard case .unchanged = try reader.evaluate() else { throw Missing() }
    try context.object(ids[0])?.set("A", for: "title")
    guard case .result = try reader.evaluate() else { throw Missing() }
    let start = try context.store.currentToken()
    try context.save()
    try merge(after: start)
    guard case .unchanged = try reader.evaluate() else { throw Missing() }
  }

  private struct Missing: Error {}

  /// Returns the next result without waiting, or `nil` if the last one is still current.
  private func now(_ lists: LiveObjects.Iterator) throws -> LiveResult? {
    guard case .result(let result)? = try lists.reader?.evaluate() else { return nil }
    return result
  }

  @Test func `Sections follow the first sort order`() throws {
    let lists = try live(sectionedBy: .descending("count"), limit: 3)
    let first = try #require(try now(lists))
    #expect(
      first.sections.map(\.value) == [3, 2] && first.sections.map(\.range) == [0..<1, 1..<3]
    )
    #expect(first.sectionDifference.insertions.count == 2)
    try context.object(ids[2])?.set(3, for: "count")
    let second = try #require(try now(lists))
    #expect(second.objectIDs == [ids[2], ids[3], ids[1]])
    #expect(second.sections.map(\.range) == [0..<2, 2..<3] && second.sectionDifference.isEmpty)
    try context.object(ids[1])?.set(4, for: "count")
    let third = try #require(try now(lists))
    #expect(third.sections.map(\.value) == [4, 3])
    #expect(third.sectionDifference.count == 2)
  }

  @Test func `A reset, a load of all objects and a refresh read the result again`() throws {
    let lists = try live(limit: 2)
    _ = try now(lists)
    let new = try other.savedItem("0")
    context.reset()
    #expect(try now(lists)?.objectIDs == [new, ids[0]])
    other.delete(new)
    try other.save()
    try context.loadAll()
    #expect(try now(lists)?.objectIDs == [ids[0], ids[1]])
    try other.save("e", for: "title", of: ids[0])
    try context.refreshAll()
    #expect(try now(lists)?.objectIDs == [ids[1], ids[2]])
    try other.save("aa", for: "title", of: ids[1])
    try context.refresh(ids[1])
    let last = try #require(try now(lists))
    #expect(last.difference.isEmpty && last.updated == [ids[1]])
  }

  @Test func `A reader waits until something changes, and several read independently`() async throws
  {
    var lists = try live(limit: 1)
    _ = try await lists.next()
    let reader = try #require(lists.reader)
    async let next = Task { [lists] in
      var lists = lists
      return try await lists.next()?.objectIDs
    }.value
    while !context.state.withLock({ $0.watches.isWaiting }) { await Task.yield() }
    try context.object(ids[3])?.set("0", for: "title")
    #expect(try await next == [ids[3]])
    var others = try live(limit: 1)
    #expect(try await others.next()?.objectIDs == [ids[3]])
    guard case .unchanged = try reader.evaluate() else { throw Missing() }
  }

  @Test func `Releasing the iterator, cancelling the task or releasing the context ends a query`()
    async throws
  {
    var lists: LiveObjects.Iterator? = try live()
    #expect(context.state.withLock { !$0.watches.isEmpty })
    _ = try await lists?.next()
    lists = nil
    #expect(context.state.withLock { $0.watches.isEmpty })
    let cancelled = try context.liveObjects("Item")
    let task = Task { for try await _ in cancelled {} }
    while !context.state.withLock({ $0.watches.isWaiting }) { await Task.yield() }
    task.cancel()
    try await task.value
    #expect(context.state.withLock { $0.watches.isEmpty })
    var released: ObjectContext? = try file.context()
    let sequence = try #require(try released?.liveObjects("Item"))
    let state = try #require(released?.state)
    let ended = Task { for try await _ in sequence {} }
    while !state.withLock({ $0.watches.isWaiting }) { await Task.yield() }
    released = nil
    try await ended.value
    var none = sequence.makeAsyncIterator()
    #expect(try await none.next() == nil)
  }

  @Test func `Mistakes are thrown, and an error ends the query`() async throws {
    let item = context.store.model.entities[0]
    #expect(throws: HistoryError.unknownAttribute("x", of: item)) {
      try context.liveObjects("Item", sortedBy: ["x"])
    }
    #expect(throws: HistoryError.negativeBound("limit", -1)) {
      try context.liveObjects("Item", limit: -1)
    }
    var lists = try context.liveObjects("Item", where: .null("x")).makeAsyncIterator()
    await #expect(throws: HistoryError.unknownAttribute("x", of: item)) { try await lists.next() }
    #expect(try await lists.next() == nil)
    #expect(context.state.withLock { $0.watches.isEmpty })
  }
}

extension LiveWatches {
  /// Whether a task waits for a result.
  fileprivate var isWaiting: Bool { watches.contains { $0.waiter != nil } }
}
