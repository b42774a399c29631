import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import TestSupport
import Testing

@Suite(.inEveryLayout) struct `A context that reads at one moment` {
  let file: StoreFile
  let context: ObjectContext
  let other: ObjectContext
  let ids: [ObjectID]

  init() throws {
    file = try StoreFile()
    context = try file.context("app", .error)
    other = try file.context("widget", .objectWins)
    let other = other
    ids = try ["a", "b", "c"].map { try other.savedItem($0, count: 1) }
  }

  /// Changes, deletes and inserts one object in another process.
  private func writeElsewhere() throws {
    try other.save("x", for: "title", of: ids[0])
    other.delete(ids[1])
    try other.save()
    _ = try other.savedItem("new", count: 1)
  }

  private func titles() throws -> [Value?] { try context.objects("Item").map { try $0["title"] } }

  @Test func `Everything that it reads is of the moment, until it is moved`() throws {
    let moment = try context.pin()
    #expect(try moment == other.store.currentToken() && context.pinnedAt == moment)
    try writeElsewhere()
    #expect(try titles() == ["a", "b", "c"] && context.count("Item") == 3)
    #expect(try context.sum(of: "count", in: "Item") == 3)
    #expect(try context.distinctValues(of: "title", in: "Item") == ["a", "b", "c"])
    context.releaseAll()
    #expect(try context.item(ids[0]) == ["a", 1] && context.item(ids[1]) == ["b", 1])
    try context.refresh(ids[0])
    #expect(try context.item(ids[0]) == ["a", 1])
    #expect(try context.pinnedAt != context.store.currentToken())
    try context.refreshAll()
    #expect(try titles() == ["x", "c", "new"] && context.object(ids[1]) == nil)
    #expect(try context.pinnedAt == context.store.currentToken())
  }

  @Test func `A merge, a reset, a load and another pin move it`() throws {
    let start = try #require(try context.pin())
    try writeElsewhere()
    try context.merge(try context.store.fetch(HistoryRequest(after: start)).transactions)
    #expect(try titles() == ["x", "c", "new"])
    for move in ["reset", "loadAll", "pin"] {
      try other.save(.string(move), for: "title", of: ids[0])
      #expect(try context.objects("Item", where: .compare("title", .equal, .string(move))).isEmpty)
      switch move {
      case "reset": context.reset()
      case "loadAll": try context.loadAll()
      default: try context.pin()
      }
      #expect(try titles().first == .string(move))
    }
    context.unpin()
    try other.save("last", for: "title", of: ids[0])
    #expect(try titles().first == "last" && context.pinnedAt == nil)
  }

  @Test func `A save is compared with the moment, and moves it`() throws {
    try context.pin()
    try writeElsewhere()
    try context.object(ids[0])?.set(5, for: "count")
    #expect(throws: HistoryError.conflict([ids[0]])) { try context.save() }
    context.rollback()
    try context.object(ids[2])?.set(5, for: "count")
    #expect(try context.save()?.count == 1)
    #expect(try context.pinnedAt == context.store.currentToken())
    #expect(try titles() == ["x", "c", "new"])
  }

  @Test func `A live query is of the moment`() async throws {
    try context.pin()
    var lists = try context.liveObjects("Item", sortedBy: ["title"], limit: 2).makeAsyncIterator()
    try writeElsewhere()
    #expect(try await lists.next()?.objectIDs == Array(ids[0...1]))
    context.delete(ids[0])
    #expect(try await lists.next()?.objectIDs == Array(ids[1...2]))
    context.rollback()
    try context.refreshAll()
    #expect(try await lists.next()?.map(\.id.key) == [ids[2].key, 4])
  }

  @Test func `Purges and writers go on while it stays, and the log grows until it moves`() throws {
    var configuration = StoreConfiguration()
    configuration.layout = LayoutTrait.layout
    configuration.checkpointFrames = 20
    let path = file.folder.path("test.store")
    let writer = ObjectContext(
      store: try Store(path: path, model: file.model, configuration: configuration)
    )
    func write() throws {
      for count in 0..<30 { try writer.save(.int(Int64(count)), for: "count", of: ids[0]) }
    }
    try write()
    let usual = try writer.store.logSize().frames
    try context.pin()
    try write()
    let purged = try writer.store.purge()
    try write()
    let grown = try writer.store.logSize().frames
    #expect(purged.transactionCount > 50 && grown > usual + 60, "\(usual) \(grown)")
    #expect(try writer.store.history().count < 40 && context.item(ids[0]) == ["a", 29])
    #expect(try context.pinnedAt != writer.store.currentToken())
    context.unpin()
    try write()
    // The file of the log keeps its size; a writer that finds no reader starts it from the beginning.
    let last = try writer.store.logSize().frames
    try write()
    #expect(try writer.store.logSize().frames == last)
  }

  @Test func `A store without history has a moment, too, but no position`() throws {
    var configuration = StoreConfiguration()
    configuration.tracksHistory = false
    let path = file.folder.path("cache.store")
    func open() throws -> ObjectContext {
      let store = try Store(path: path, model: file.model, configuration: configuration)
      return ObjectContext(store: store)
    }
    let (reader, writer) = (try open(), try open())
    #expect(try reader.pin() == nil && reader.pinnedAt == nil)
    try writer.insert("Item")
    try writer.save()
    #expect(try reader.count("Item") == 0)
    try reader.refreshAll()
    #expect(try reader.count("Item") == 1)
  }

  @Test func `A suspension ends the moment, and another pin starts one`() throws {
    try context.pin()
    try writeElsewhere()
    try context.store.suspend()
    try context.store.resume()
    let lost = #expect(throws: HistoryError.self) { try context.count("Item") }
    #expect(lost?.code == .snapshotLost)
    #expect(lost?.suggestion?.contains("pin()") == true)
    try context.pin()
    #expect(try titles() == ["x", "c", "new"])
  }

  @Test func `No moment begins while the store is suspended`() throws {
    try context.store.suspend()
    let error = #expect(throws: HistoryError.self) { try context.pin() }
    #expect(error?.code == .suspended && context.pinnedAt == nil)
    try context.store.resume()
    #expect(try context.pin() == other.store.currentToken())
  }
}
