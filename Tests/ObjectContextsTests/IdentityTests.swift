import HistoryStore
import HistoryTypes
import StoreFixtures
import Testing

@testable import ObjectContexts

@Suite(.inEveryLayout) struct `A context and its objects` {
  @Test func `An object is read at its first access and registered from then on`() throws {
    let file = try StoreFile()
    let (app, widget) = (try file.context(), try file.context("widget"))
    let id = try app.savedItem("milk", count: 1)
    #expect(try widget.registeredObjects("Item").isEmpty)
    let first = try #require(try widget.object(id))
    #expect(try first["title"] == .string("milk") && first["count"] == .int(1))
    try app.save(.int(2), for: "count", of: id)
    // No second query: the context still holds what it read.
    #expect(try widget.object(id)?["count"] == .int(1))
    #expect(try widget.object(id) == first)
    #expect(try widget.registeredObjects("Item") == [first])
  }

  @Test func `Two handles of one object share their edits, two contexts do not`() throws {
    let file = try StoreFile()
    let app = try file.context()
    let id = try app.savedItem("milk")
    let (one, other) = (try #require(try app.object(id)), try #require(try app.object(id)))
    try one.set(.string("bread"), for: "title")
    #expect(try other["title"] == .string("bread"))
    #expect(one == other && one.hashValue == other.hashValue)
    let sibling = ObjectContext(store: app.store, author: "app")
    let third = try #require(try sibling.object(id))
    #expect(try third != one && third["title"] == .string("milk"))
  }

  @Test func `A missing object is nil`() throws {
    let context = try StoreFile().context()
    #expect(try context.object(ObjectID(entity: 1, key: 9)) == nil)
    #expect(try context.object(ObjectID(entity: 3, key: 1)) == nil)
    #expect(try context.object(ObjectID(entity: 0, key: 1)) == nil)
    let unknown = HistoryError.unknownEntity("Note", in: context.store.model)
    #expect(throws: unknown) { try context.registeredObjects("Note") }
    #expect(throws: unknown) { try context.insert("Note") }
  }

  @Test func `Registered objects are in key order, with inserted and without deleted ones`() throws
  {
    let context = try StoreFile().context()
    let ids = try (0..<40).map { try context.savedItem("\($0)") }
    let inserted = try context.insert("Item")
    context.delete(ids[7])
    _ = try context.insert("Tag")
    let expected = ids.filter { $0 != ids[7] } + [inserted.id]
    #expect(try context.registeredObjects("Item").map(\.id) == expected.sorted())
    #expect(try context.registeredObjects("Tag").count == 1)
  }

  @Test func `Loading everything discards edits and missing objects`() throws {
    let file = try StoreFile()
    let (app, widget) = (try file.context(), try file.context("widget"))
    let (kept, gone) = (try app.savedItem("kept"), try app.savedItem("gone"))
    #expect(try widget.loadAll() == app.store.currentToken())
    try #require(try widget.object(kept)).set(.string("edited"), for: "title")
    try #require(try app.object(gone)).delete()
    try app.save()
    let position = try widget.loadAll()
    #expect(position.number == 3)
    #expect(try widget.registeredObjects("Item").map(\.id) == [kept])
    #expect(try widget.object(kept)?["title"] == .string("kept"))
    #expect(!widget.hasChanges)
  }

  @Test func `A restored context has the same objects and edits`() throws {
    let file = try StoreFile()
    let app = ObjectContext(
      store: try file.open(),
      author: "app",
      name: "view",
      mergePolicy: .objectWins
    )
    let id = try app.savedItem("milk", count: 1)
    try #require(try app.object(id)).set(.int(5), for: "count")
    let again = ObjectContext(store: try file.open(), snapshot: app.snapshot)
    #expect(again.author == "app" && again.name == "view" && again.mergePolicy == .objectWins)
    #expect(again.writer == app.writer)
    #expect(try again.item(id) == [.string("milk"), .int(5)])
    let written = try #require(try again.save())
    #expect(written.count == 1)
    #expect(try app.item(id) == [.string("milk"), .int(5)])
    #expect(app.hasChanges)
  }

  @Test func `Every registered row is returned once`() throws {
    let context = try StoreFile().context()
    let ids = try (0..<5).map { try context.savedItem("\($0)", count: $0) }
    context.delete(ids[1])
    try context.save()
    var seen: [ObjectID: Value] = [:]
    context.forEachRegistered { id, row in seen[id] = row[row.startIndex + 1] }
    #expect(seen == [ids[0]: .int(0), ids[2]: .int(2), ids[3]: .int(3), ids[4]: .int(4)])
  }
}
