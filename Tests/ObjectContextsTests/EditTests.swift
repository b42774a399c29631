import HistoryStore
import HistoryTypes
import StoreFixtures
import Testing

@testable import ObjectContexts

@Suite(.inEveryLayout) struct `Edits of a context` {
  let file: StoreFile
  let context: ObjectContext

  init() throws {
    file = try StoreFile()
    context = try file.context()
  }

  private func lastChanges() throws -> [String] {
    try #require(try context.store.history().last).changes.map { change in
      "\(change.type) \(change.objectID.key) \(change.updatedProperties)"
    }
  }

  @Test func `An attribute that the entity lacks is refused`() throws {
    let error = HistoryError.unknownAttribute("name", of: context.store.model.entities[0])
    let object = try context.insert("Item")
    #expect(throws: error) { try object.set(.string("x"), for: "name") }
    #expect(throws: error) { try context.insert("Item", ["name": .string("x")]) }
    #expect(throws: error) { try object["name"] }
    let mistyped = #expect(throws: HistoryError.self) { try object["titel"] }
    #expect(mistyped?.code == .unknownAttribute)
    #expect(mistyped?.suggestion?.hasPrefix("Did you mean \"title\"?") == true)
  }

  @Test(arguments: [
    ("title", Value.int(1), AttributeType.string), ("count", .string("1"), .int),
    ("count", .double(1), .int), ("price", .int(1), .double), ("price", .double(.nan), .double),
    ("due", .date(Date(timeIntervalSinceReferenceDate: .nan)), .date), ("due", .double(1), .date),
  ])
  func `A value of the wrong type is refused at once`(
    _ attribute: String,
    _ value: Value,
    _ type: AttributeType
  ) throws {
    let error = HistoryError.unfitValue(entity: "Item", attribute: attribute, type: type)
    let object = try context.insert("Item")
    #expect(throws: error) { try object.set(value, for: attribute) }
    #expect(throws: error) { try context.insert("Item", [attribute: value]) }
    #expect(try object[attribute] == .null)
    try object.set(.null, for: attribute)
    try context.save()
    #expect(try context.store.history().count == 1)
  }

  @Test func `A deleted object is not accessible and accepts no value`() throws {
    let id = try context.savedItem("milk")
    let object = try #require(try context.object(id))
    object.delete()
    #expect(try object["title"] == nil)
    #expect(try context.object(id) == nil)
    #expect(throws: HistoryError.unknownObject(id)) { try object.set(.int(1), for: "count") }
    object.delete()
    try context.save()
    #expect(throws: HistoryError.unknownObject(id)) { try object.set(.int(1), for: "count") }
    #expect(try lastChanges() == ["delete \(id.key) []"])
  }

  @Test func `A delete of an unread object is ignored only by a context that holds all`() throws {
    try context.loadAll()
    let id = try file.context("widget").savedItem("milk")
    context.delete(id)
    #expect(!context.hasChanges)
    #expect(try context.object(id) != nil)
    context.reset()
    context.delete(id)
    #expect(try context.hasChanges && context.object(id) == nil)
    try context.save()
    #expect(try lastChanges() == ["delete \(id.key) []"])
  }

  @Test func `An insert and updates are one insert with the last values`() throws {
    let object = try context.insert("Item", ["title": .string("milk"), "count": .int(1)])
    try object.set(.int(2), for: "count")
    try object.set(.int(3), for: "count")
    try context.save()
    #expect(try lastChanges() == ["insert \(object.id.key) []"])
    #expect(try file.context().item(object.id) == [.string("milk"), .int(3)])
  }

  @Test func `An insert and a delete cancel each other`() throws {
    let object = try context.insert("Item")
    #expect(try context.hasChanges && object["title"] == .null)
    object.delete()
    #expect(try !context.hasChanges && object["title"] == nil)
    #expect(try context.save() == nil)
    #expect(try context.store.history().isEmpty)
  }

  @Test func `Several updates are one update of all set columns`() throws {
    let id = try context.savedItem("milk")
    let object = try #require(try context.object(id))
    try object.set(.double(1), for: "price")
    try object.set(.string("bread"), for: "title")
    try object.set(.double(2), for: "price")
    try context.save()
    let change = try #require(try context.store.history().last?.changes.first)
    #expect(change.type == .update && change.columns == 0b101)
    #expect(change.updatedProperties == ["title", "price"])
    #expect(try file.context().object(id)?["price"] == .double(2))
  }

  @Test func `Updates and a delete are one delete with the stored values as the tombstone`() throws
  {
    let id = try context.savedItem("milk")
    let object = try #require(try context.object(id))
    try object.set(.string("bread"), for: "title")
    object.delete()
    try context.save()
    let change = try #require(try context.store.history().last?.changes.first)
    #expect(change.type == .delete && change.tombstone == ["title": .string("milk")])
  }

  @Test func `A rollback discards every edit`() throws {
    let id = try context.savedItem("milk")
    try #require(try context.object(id)).set(.string("bread"), for: "title")
    let inserted = try context.insert("Item")
    context.rollback()
    #expect(!context.hasChanges && !context.isInserted(inserted.id))
    #expect(try context.item(id) == [.string("milk"), .int(0)])
    #expect(try context.save() == nil)
  }

  @Test func `Edits are written in the order of the objects' first edits`() throws {
    let ids = try (0..<4).map { try context.savedItem("\($0)") }
    try #require(try context.object(ids[3])).set(.int(1), for: "count")
    context.delete(ids[1])
    let new = try context.insert("Item")
    try #require(try context.object(ids[0])).set(.int(1), for: "count")
    try #require(try context.object(ids[3])).set(.int(2), for: "count")
    try context.save()
    #expect(
      try lastChanges() == [
        "update \(ids[3].key) [\"count\"]", "delete \(ids[1].key) []", "insert \(new.id.key) []",
        "update \(ids[0].key) [\"count\"]",
      ]
    )
  }
}
