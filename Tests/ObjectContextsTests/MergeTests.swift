import HistoryStore
import HistoryTypes
import StoreFixtures
import Testing

@testable import ObjectContexts

@Suite(.inEveryLayout) struct `A merge` {
  let file: StoreFile
  let app: ObjectContext
  let widget: ObjectContext

  init() throws {
    file = try StoreFile()
    app = try file.context()
    widget = try file.context("widget")
    // The store is empty, so that the contexts hold all objects from the first one on.
    for context in [app, widget] { try context.loadAll() }
  }

  /// Merges the transactions with some numbers.
  @discardableResult
  private func merge(
    _ numbers: ClosedRange<Int64>,
    into context: ObjectContext
  ) throws -> MergeDelta {
    try context.merge(try context.store.history().filter { numbers.contains($0.number.rawValue) })
  }

  @Test func `A merge reports inserted, refreshed and deleted objects`() throws {
    let ids = try (0..<3).map { try app.savedItem("\($0)") }
    try widget.loadAll()
    let new = try app.savedItem("new")
    try app.save(.int(1), for: "count", of: ids[2])
    try app.save(.int(1), for: "count", of: ids[0])
    app.delete(ids[1])
    try app.save()
    let delta = try merge(4...7, into: widget)
    #expect(delta.inserted == [new] && delta.updated == [ids[0], ids[2]])
    #expect(delta.deleted == [ids[1]])
    #expect(try widget.item(ids[0]) == [.string("0"), .int(1)])
    #expect(try widget.item(new) == [.string("new"), .int(0)])
    #expect(try widget.registeredObjects("Item").map(\.id) == [ids[0], ids[2], new])
  }

  @Test func `Merging twice has no further effect`() throws {
    let ids = try (0..<3).map { try app.savedItem("\($0)") }
    try app.save(.int(1), for: "count", of: ids[0])
    app.delete(ids[1])
    try app.save()
    #expect(try merge(1...5, into: widget).inserted == [ids[0], ids[2]])
    #expect(try merge(1...5, into: widget) == MergeDelta())
    #expect(try merge(2...3, into: widget) == MergeDelta())
    #expect(try widget.registeredObjects("Item").map(\.id) == [ids[0], ids[2]])
  }

  @Test func `Own saves are skipped; those of siblings, other processes and batches are not`()
    throws
  {
    let sibling = ObjectContext(store: app.store, author: "app", name: "view")
    let (own, theirs) = (try app.savedItem("own"), try sibling.savedItem("sibling"))
    let foreign = try widget.savedItem("foreign")
    let batch = try app.store.batchUpdate(
      "Item",
      set: ["count": .int(9)],
      by: BatchAuthor("app", contextName: "view"),
      result: .objectIDs
    )
    #expect(batch.objectIDs == [own, theirs, foreign])
    #expect(try merge(1...1, into: app) == MergeDelta())
    #expect(try merge(2...3, into: app).inserted == [theirs, foreign])
    #expect(try merge(4...4, into: app).updated == [own])
    #expect(try app.item(own) == [.string("own"), .int(9)])
    #expect(
      try sibling.store.history().map(\.writer) == [app.writer, sibling.writer, widget.writer, nil]
    )
  }

  @Test func `A row newer than the transaction is not read again`() throws {
    let id = try app.savedItem("milk")
    for count in 2...3 { try app.save(.int(Int64(count)), for: "count", of: id) }
    try widget.loadAll()
    try app.save(.int(4), for: "count", of: id)
    #expect(try merge(1...3, into: widget) == MergeDelta())
    #expect(try widget.item(id) == [.string("milk"), .int(3)])
    #expect(try merge(2...4, into: widget).updated == [id])
    #expect(try widget.item(id) == [.string("milk"), .int(4)])
  }

  @Test func `An update of an object unknown to the context is ignored`() throws {
    let id = try app.savedItem("milk")
    try app.save(.int(2), for: "count", of: id)
    #expect(try merge(2...2, into: widget) == MergeDelta())
    #expect(try widget.registeredObjects("Item").isEmpty)
    #expect(try widget.item(id) == [.string("milk"), .int(2)])
  }

  @Test func `An insert and a delete cancel out, even across transactions`() throws {
    let id = try app.savedItem("milk")
    try app.save(.int(2), for: "count", of: id)
    app.delete(id)
    try app.save()
    #expect(try merge(1...3, into: widget) == MergeDelta())
    for number in Int64(1)...3 {
      #expect(try merge(number...number, into: widget) == MergeDelta())
    }
    #expect(try widget.object(id) == nil)
  }

  @Test func `A merge keeps unsaved edits and refreshes the other attributes`() throws {
    let id = try app.savedItem("milk", count: 1)
    _ = try widget.object(id)
    try #require(try widget.object(id)).set(.string("bread"), for: "title")
    let inserted = try widget.insert("Item", ["title": .string("new")])
    try app.save(.string("eggs"), for: "title", of: id)
    try app.save(.int(7), for: "count", of: id)
    #expect(try merge(2...3, into: widget).updated == [id])
    #expect(try widget.item(id) == [.string("bread"), .int(7)])
    #expect(try inserted["title"] == .string("new"))
    #expect(try widget.save()?.count == 2)
    #expect(try file.context().item(id) == [.string("bread"), .int(7)])
  }

  @Test(arguments: [false, true])
  func `A deleted object loses its edits`(_ isDeletedHere: Bool) throws {
    let (id, other) = (try app.savedItem("milk"), try app.savedItem("bread"))
    let object = try #require(try widget.object(id))
    try #require(try widget.object(other)).set(.int(5), for: "count")
    if isDeletedHere { object.delete() } else { try object.set(.int(5), for: "count") }
    app.delete(id)
    try app.save()
    #expect(try merge(3...3, into: widget).deleted == [id])
    #expect(try object["count"] == nil)
    #expect(try widget.object(id) == nil)
    let written = try #require(try widget.save())
    #expect(written.count == 1)
    #expect(try file.context().item(other) == [.string("bread"), .int(5)])
  }

  @Test func `A row that is missing when it is refreshed loses its edits`() throws {
    let id = try app.savedItem("milk")
    let object = try #require(try widget.object(id))
    try object.set(.int(5), for: "count")
    try app.save(.int(2), for: "count", of: id)
    app.delete(id)
    try app.save()
    // Only the update is merged yet.
    #expect(try merge(2...2, into: widget).deleted == [id])
    #expect(try object["count"] == nil && widget.save() == nil)
  }

  @Test func `A thousand transactions on one object are one update`() throws {
    let id = try app.savedItem("milk")
    try widget.loadAll()
    for count in 1...1000 { try app.save(.int(Int64(count)), for: "count", of: id) }
    let delta = try merge(2...1001, into: widget)
    #expect(delta.updated == [id] && delta.inserted.isEmpty && delta.deleted.isEmpty)
    #expect(try widget.item(id) == [.string("milk"), .int(1000)])
  }

  @Test func `A deleted object's slot is reused without its values`() throws {
    let ids = try (0..<3).map { try app.savedItem("\($0)", count: 5) }
    try widget.loadAll()
    app.delete(ids[1])
    try app.save()
    let new = try app.insert("Item", ["title": .string("new")])
    try app.save()
    try merge(4...4, into: widget)
    try merge(5...5, into: widget)
    #expect(try widget.item(new.id) == [.string("new"), .null])
    #expect(try widget.item(ids[0]) == [.string("0"), .int(5)])
    #expect(try widget.item(ids[2]) == [.string("2"), .int(5)])
  }
}
