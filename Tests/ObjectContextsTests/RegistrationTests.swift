import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import Testing

@Suite(.inEveryLayout) struct `A context that holds a part of the objects` {
  let file: StoreFile
  let context: ObjectContext
  let other: ObjectContext
  let ids: [ObjectID]

  init() throws {
    file = try StoreFile()
    context = try file.context()
    other = try file.context("widget", .objectWins)
    var ids: [ObjectID] = []
    for title in ["a", "b", "c"] { ids.append(try other.savedItem(title)) }
    self.ids = ids
  }

  private func registered() throws -> [ObjectID] {
    try context.registeredObjects("Item").map(\.id)
  }

  @Test func `A merge changes only registered objects`() throws {
    _ = try context.object(ids[0])
    let start = try other.store.currentToken()
    let new = try other.savedItem("new")
    for id in ids { try other.save(7, for: "count", of: id) }
    other.delete(ids[2])
    try other.save()
    let page = try other.store.fetch(HistoryRequest(after: start))
    let delta = try context.merge(page.transactions)
    #expect(delta.updated == [ids[0]] && delta.inserted.isEmpty && delta.deleted.isEmpty)
    #expect(try registered() == [ids[0]] && context.item(ids[0]) == ["a", 7])
    #expect(try context.item(new) == ["new", 0] && context.object(ids[2]) == nil)
    #expect(!context.holdsAllObjects)
  }

  @Test func `A context that has loaded all objects registers what others insert`() throws {
    let start = try context.loadAll()
    #expect(context.holdsAllObjects)
    let new = try other.savedItem("new")
    let delta = try context.merge(try other.store.fetch(HistoryRequest(after: start)).transactions)
    #expect(delta.inserted == [new])
    #expect(try registered() == ids + [new])
  }

  @Test func `A released object is read again when it is used`() throws {
    let object = try #require(try context.object(ids[0]))
    try other.save("changed", for: "title", of: ids[0])
    #expect(try object["title"] == "a")
    #expect(context.release(ids[0]) && !context.release(ids[0]) && !context.release(ids[1]))
    #expect(try registered() == [])
    #expect(try object["title"] == "changed" && registered() == [ids[0]])
    context.releaseAll()
    try object.set("mine", for: "title")
    try context.save()
    #expect(try other.store.rows(1, sortedKeys: [1]).values.first == "mine")
    context.releaseAll()
    struct Item: ObjectRecord { var title: String }
    #expect(try object.record(Item.self).title == "mine")
  }

  @Test func `An object with unsaved edits is not released`() throws {
    let objects = try context.objects("Item")
    try objects[0].set("mine", for: "title")
    objects[1].delete()
    let new = try context.insert("Item", ["title": "new"])
    #expect(!context.release(ids[0]) && !context.release(ids[1]) && !context.release(new.id))
    context.releaseAll()
    #expect(try registered() == [ids[0], new.id])
    #expect(try context.object(ids[1]) == nil && new["title"] == "new")
    // The row under the edit stays, so that the save still meets a conflict.
    try other.save(9, for: "count", of: ids[0])
    #expect(throws: HistoryError.conflict([ids[0]])) { try context.save() }
    try context.refresh(ids[0])
    #expect(try context.save()?.count == 3)
  }

  @Test func `A reset discards edits and registered objects`() throws {
    try context.loadAll()
    let object = try #require(try context.object(ids[0]))
    try object.set("mine", for: "title")
    let new = try context.insert("Item")
    context.reset()
    #expect(try !context.hasChanges && !context.holdsAllObjects && registered() == [])
    #expect(try object["title"] == "a" && new["title"] == nil)
    #expect(try context.save() == nil)
  }

  @Test func `The delete of a released object deletes its current row`() throws {
    let object = try #require(try context.object(ids[0]))
    context.releaseAll()
    try other.save("changed", for: "title", of: ids[0])
    object.delete()
    #expect(try context.hasChanges && object["title"] == nil && context.count("Item") == 2)
    #expect(try context.save()?.count == 1)
    let change = try #require(try context.store.history().last?.changes.first)
    #expect(change.type == .delete && change.tombstone?["title"] == "changed")
  }

  @Test func `The delete of an object that no longer exists writes nothing`() throws {
    let object = try #require(try context.object(ids[0]))
    context.releaseAll()
    other.delete(ids[0])
    try other.save()
    #expect(try object["title"] == nil)
    object.delete()
    #expect(try context.save() == nil && !context.hasChanges)
    #expect(throws: HistoryError.unknownObject(ids[0])) { try object.set("x", for: "title") }
  }

  @Test func `A context that holds all objects does not read again`() throws {
    try context.loadAll()
    let object = try #require(try context.object(ids[0]))
    let start = try other.store.currentToken()
    other.delete(ids[0])
    try other.save()
    try context.merge(try other.store.fetch(HistoryRequest(after: start)).transactions)
    #expect(try object["title"] == nil)
    object.delete()
    #expect(!context.hasChanges)
    context.release(ids[1])
    #expect(!context.holdsAllObjects)
  }
}
