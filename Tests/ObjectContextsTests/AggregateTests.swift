import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import Testing

@Suite(.inEveryLayout) struct `An aggregate of a context` {
  let file: StoreFile
  let context: ObjectContext
  let ids: [ObjectID]

  init() throws {
    file = try StoreFile()
    context = try file.context()
    let rows: [[String: Value]] = [
      ["title": "d", "count": 1, "price": 0.5], ["title": "a", "count": 2], ["title": "c"],
      ["title": "b", "count": 2, "price": 2.0],
    ]
    ids = try context.store.batchInsert(
      into: "Item",
      rows,
      by: BatchAuthor("import"),
      result: .objectIDs
    ).objectIDs
  }

  @Test func `Texts that look the same are different values, saved or not`() throws {
    try context.object(ids[0])?.set("caf\u{e9}", for: "title")
    try context.save()
    try context.object(ids[1])?.set("cafe\u{301}", for: "title")
    let values = try context.distinctValues(of: "title", in: "Item")
    try context.save()
    let saved = try context.distinctValues(of: "title", in: "Item")
    #expect(values == saved && saved.count == 4)
  }

  /// Edits the first two objects, deletes the last one, and inserts another one.
  private func edit() throws {
    try context.object(ids[0])?.set(9, for: "count")
    try context.object(ids[1])?.set(nil, for: "count")
    context.delete(try #require(try context.object(ids[3])).id)
    try context.insert("Item", ["title": "e", "count": -5, "price": 1.5])
  }

  @Test func `Objects are counted, with unsaved edits and without`() throws {
    #expect(try context.count("Item") == 4)
    #expect(try context.count("Item", where: .compare("count", .equal, 2)) == 2)
    #expect(try context.registeredObjects("Item").isEmpty)
    try edit()
    #expect(try context.count("Item") == 4)
    #expect(try context.count("Item", where: .compare("count", .equal, 2)) == 0)
    #expect(try context.count("Item", where: .compare("count", .less, 10)) == 2)
    #expect(try context.count("Item", where: .null("count")) == 2)
    #expect(try context.count("Tag") == 0)
    try context.save()
    #expect(try context.count("Item", where: .compare("count", .less, 10)) == 2)
  }

  @Test func `Distinct values are sorted, with unsaved edits and without`() throws {
    #expect(try context.distinctValues(of: "count", in: "Item") == [.null, 1, 2])
    #expect(
      try context.distinctValues(
        of: "title",
        in: "Item",
        where: .compare("count", .equal, 2)
      ) == ["a", "b"]
    )
    try edit()
    #expect(try context.distinctValues(of: "count", in: "Item") == [.null, -5, 9])
    #expect(try context.distinctValues(of: "title", in: "Item") == ["a", "c", "d", "e"])
    #expect(try context.distinctValues(of: "name", in: "Tag") == [])
  }

  @Test func `Sums and averages leave out null, with unsaved edits and without`() throws {
    #expect(try context.sum(of: "count", in: "Item") == 5)
    #expect(try context.sum(of: "price", in: "Item") == 2.5)
    #expect(try context.average(of: "count", in: "Item") == 5.0 / 3)
    #expect(try context.sum(of: "count", in: "Item", where: .compare("title", .less, "c")) == 4)
    try edit()
    #expect(try context.sum(of: "count", in: "Item") == 4)
    #expect(try context.sum(of: "price", in: "Item") == 2.0)
    #expect(try context.average(of: "count", in: "Item") == 2)
    #expect(try context.average(of: "price", in: "Item") == 1)
    try context.save()
    #expect(try context.sum(of: "count", in: "Item") == 4)
    #expect(try context.average(of: "count", in: "Item") == 2)
  }

  @Test func `The least and greatest values are found, with unsaved edits and without`() throws {
    #expect(try context.minimum(of: "count", in: "Item") == 1)
    #expect(try context.maximum(of: "title", in: "Item") == "d")
    try edit()
    #expect(try context.minimum(of: "count", in: "Item") == -5)
    #expect(try context.maximum(of: "count", in: "Item") == 9)
    #expect(try context.maximum(of: "title", in: "Item") == "e")
    #expect(try context.minimum(of: "title", in: "Item", where: .null("count")) == "a")
    #expect(try context.minimum(of: "due", in: "Item") == .null)
  }

  @Test func `Without a value, a sum is 0 and an average nil`() throws {
    let none = ObjectPredicate.any([])
    #expect(try context.sum(of: "count", in: "Item", where: none) == 0)
    #expect(try context.sum(of: "price", in: "Item", where: none) == 0.0)
    #expect(try context.average(of: "price", in: "Item", where: none) == nil)
    #expect(try context.maximum(of: "count", in: "Item", where: none) == .null)
  }

  @Test func `A sum that exceeds 64 bits is an error, and an average is not`() throws {
    let error = HistoryError.sumTooLarge("count", of: context.store.model.entities[0])
    let large = try context.insert("Item", ["count": .int(.max)])
    #expect(throws: error) { try context.sum(of: "count", in: "Item") }
    try context.save()
    #expect(throws: error) { try context.sum(of: "count", in: "Item") }
    #expect(try context.average(of: "count", in: "Item") == (Double(Int64.max) + 5) / 4)
    try large.set(-5, for: "count")
    #expect(try context.sum(of: "count", in: "Item") == 0)
    #expect(error.description.hasSuffix("64 bits. Sum fewer objects, or ask for the average."))
  }

  @Test(arguments: [false, true])
  func `Values without a sum and unknown names are refused`(_ isPending: Bool) throws {
    if isPending { try edit() }
    let item = context.store.model.entities[0]
    let text = #expect(throws: HistoryError.notANumber("title", of: item, type: .string)) {
      try context.sum(of: "title", in: "Item")
    }
    #expect(text?.code == .notANumber)
    #expect(throws: HistoryError.notANumber("due", of: item, type: .date)) {
      try context.average(of: "due", in: "Item")
    }
    let unknown = HistoryError.unknownAttribute("cuont", of: item)
    #expect(throws: unknown) { try context.sum(of: "cuont", in: "Item") }
    #expect(throws: unknown) { try context.distinctValues(of: "cuont", in: "Item") }
    #expect(throws: unknown) { try context.count("Item", where: .null("cuont")) }
    #expect(throws: HistoryError.unknownEntity("Itme", in: context.store.model)) {
      try context.count("Itme")
    }
  }
}
