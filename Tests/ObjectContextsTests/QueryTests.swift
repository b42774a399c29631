import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import Testing

@Suite(.inEveryLayout) struct `A query of a context` {
  let file: StoreFile
  let context: ObjectContext
  let ids: [ObjectID]

  init() throws {
    file = try StoreFile()
    context = try file.context()
    let rows: [[String: Value]] = [
      ["title": "d", "count": 1], ["title": "a", "count": 2], ["title": "c"],
      ["title": "b", "count": 2],
    ]
    ids = try context.store.batchInsert(
      into: "Item",
      rows,
      by: BatchAuthor("import"),
      result: .objectIDs
    ).objectIDs
  }

  private func titles(
    _ predicate: ObjectPredicate? = nil,
    _ orders: [ObjectOrder] = [],
    limit: Int? = nil,
    offset: Int = 0
  ) throws -> [Value?] {
    try context.objects(
      "Item",
      where: predicate,
      sortedBy: orders,
      limit: limit,
      offset: offset
    ).map { try $0["title"] }
  }

  @Test func `A request matches, sorts and counts as the store does`() throws {
    #expect(try titles() == ["d", "a", "c", "b"])
    #expect(try titles(.compare("count", .equal, 2)) == ["a", "b"])
    #expect(try titles(nil, [.ascending("title")]) == ["a", "b", "c", "d"])
    #expect(try titles(nil, [.descending("count"), .descending("title")]) == ["b", "a", "d", "c"])
    #expect(try titles(nil, [.ascending("count")]) == ["c", "d", "a", "b"])
    #expect(try titles(nil, [.ascending("title")], limit: 2, offset: 1) == ["b", "c"])
    #expect(try titles(nil, [], limit: 0) == [] && titles(nil, [], offset: 9) == [])
  }

  @Test(arguments: [false, true])
  func `A negative limit or offset is refused, whatever edits are pending`(
    _ isPending: Bool
  ) throws {
    if isPending { try context.insert("Item") }
    let limit = #expect(throws: HistoryError.negativeBound("limit", -1)) {
      try titles(limit: -1)
    }
    let offset = #expect(throws: HistoryError.negativeBound("offset", -2)) {
      try titles(offset: -2)
    }
    #expect(limit?.code == .negativeBound)
    #expect(
      limit?.description == "The limit of a query is -1, which is negative. "
        + "Use a limit of at least 0, or nil for all objects."
    )
    #expect(offset?.description.hasSuffix("is -2, which is negative. Use 0 or more.") == true)
    #expect(throws: HistoryError.negativeBound("limit", -1)) {
      try context.records(Item.self, limit: -1)
    }
  }

  private struct Item: ObjectRecord { var title: String? }

  @Test func `Edited objects are matched and sorted by their edits`() throws {
    try context.object(ids[0])?.set(2, for: "count")
    try context.object(ids[1])?.set(nil, for: "count")
    context.delete(try #require(try context.object(ids[3])).id)
    let inserted = try context.insert("Item", ["title": "bb", "count": 2])
    #expect(try titles(.compare("count", .equal, 2)) == ["d", "bb"])
    #expect(try titles(.null("count"), [.ascending("title")]) == ["a", "c"])
    #expect(try titles(nil, [.ascending("title")]) == ["a", "bb", "c", "d"])
    #expect(try titles(nil, [.descending("title")], limit: 2, offset: 1) == ["c", "bb"])
    #expect(try titles(.like("title", "b%")) == ["bb"])
    try context.save()
    #expect(try titles(.compare("count", .equal, 2)) == ["d", "bb"])
    #expect(try context.object(inserted.id)?["title"] == "bb")
  }

  @Test func `Returned objects are registered with the store's values and their edits`() throws {
    #expect(try context.registeredObjects("Item").isEmpty)
    try context.object(ids[0])?.set("mine", for: "title")
    let other = try file.context("widget")
    try other.save(7, for: "count", of: ids[0])
    try other.save(7, for: "count", of: ids[1])
    _ = try context.objects("Item", where: .compare("count", .equal, 7))
    #expect(try context.item(ids[1]) == ["a", 7])
    // The row under an edit stays, so that the save still meets the conflict.
    #expect(throws: HistoryError.conflict([ids[0]])) { try context.save() }
  }

  @Test func `A limit registers only the returned objects`() throws {
    _ = try context.objects("Item", sortedBy: [.ascending("title")], limit: 1)
    #expect(try context.registeredObjects("Item").map(\.id) == [ids[1]])
    try context.insert("Item")
    _ = try context.objects("Item", sortedBy: [.descending("title")], limit: 1)
    #expect(try context.registeredObjects("Item").count == 3)
  }

  @Test(arguments: [false, true])
  func `Invalid names are refused, whatever edits are pending`(_ isPending: Bool) throws {
    if isPending { try context.insert("Item") }
    let unknown = HistoryError.unknownAttribute("x", of: context.store.model.entities[0])
    #expect(throws: unknown) { try titles(.null("x")) }
    #expect(throws: unknown) { try titles(nil, [.ascending("x")]) }
    #expect(throws: HistoryError.unknownEntity("x", in: context.store.model)) {
      try context.objects("x")
    }
  }
}

@Suite(.inEveryLayout) struct `A refresh` {
  let file: StoreFile
  let context: ObjectContext
  let other: ObjectContext
  let id: ObjectID

  init() throws {
    file = try StoreFile()
    context = try file.context()
    other = try file.context("widget")
    id = try context.savedItem("milk", count: 1)
    try other.save(7, for: "count", of: id)
  }

  @Test func `One object is refreshed, with or without its edits`() throws {
    try context.object(id)?.set("bread", for: "title")
    try context.refresh(id)
    #expect(try context.item(id) == ["bread", 7])
    try context.refresh(id, keepingEdits: false)
    #expect(try context.item(id) == ["milk", 7])
    #expect(!context.hasChanges)
  }

  @Test func `A refreshed object has no conflict`() throws {
    try context.object(id)?.set("bread", for: "title")
    try context.refresh(id)
    #expect(try context.save()?.count == 1)
  }

  @Test func `A missing object is removed with its edits, an unsaved one is kept`() throws {
    let inserted = try context.insert("Item", ["title": "new"])
    try context.object(id)?.set("bread", for: "title")
    other.delete(id)
    try other.save()
    try context.refresh(inserted.id)
    try context.refresh(id)
    #expect(try context.object(id) == nil)
    #expect(try inserted["title"] == "new" && context.isInserted(inserted.id))
    try context.refresh(inserted.id, keepingEdits: false)
    #expect(!context.hasChanges)
    #expect(throws: HistoryError.unknownObject(ObjectID(entity: 9, key: 1))) {
      try context.refresh(ObjectID(entity: 9, key: 1))
    }
  }

  @Test func `All objects are refreshed in one snapshot`() throws {
    let second = try context.savedItem("eggs", count: 2)
    _ = try other.object(second)
    let tag = try context.insert("Tag", ["name": "t"])
    try context.save()
    try other.save(8, for: "count", of: second)
    other.delete(id)
    try other.save()
    try context.object(second)?.set("ham", for: "title")
    try context.refreshAll()
    #expect(try context.registeredObjects("Item").map(\.id) == [second])
    #expect(try context.item(second) == ["ham", 8])
    #expect(try tag["name"] == "t")
  }

  @Test func `Many rows are read in few statements, and all are returned`() throws {
    let count = 256 + 2 * 16 + 5
    let rows = (0..<count).map { ["title": Value.string("\($0)"), "count": .int(0)] }
    _ = try context.store.batchInsert(into: "Item", rows, by: BatchAuthor("import"))
    let objects = try context.objects("Item", where: .compare("count", .equal, 0))
    _ = try other.store.batchUpdate("Item", set: ["count": 5], by: BatchAuthor("import"))
    try context.refreshAll()
    #expect(objects.count == count)
    #expect(try objects.allSatisfy { try $0["count"] == 5 })
    #expect(try Set(objects.map { try $0["title"] }).count == count)
  }
}
