import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import TestSupport
import Testing

@Suite(.inEveryLayout) struct `A query with an index` {
  let folder: TemporaryFolder
  let context: ObjectContext

  init() throws {
    folder = try TemporaryFolder()
    let item = Entity(
      "Item",
      [Attribute("title", .string), Attribute("count", .int)],
      indexes: [[.descending("count")], [.ascending("title", collation: .caseInsensitive)]]
    )
    var configuration = StoreConfiguration()
    configuration.layout = LayoutTrait.layout
    let store = try Store(
      path: folder.path("store"),
      model: Model([item]),
      configuration: configuration
    )
    context = ObjectContext(store: store, author: "app", name: "view")
    let titles = ["b", "C", "a", "B", "c", "A"]
    for (count, title) in titles.enumerated() {
      try context.insert("Item", ["title": .string(title), "count": .int(Int64(count))])
    }
    try context.save()
  }

  private func titles(
    _ order: ObjectOrder,
    limit: Int? = nil,
    offset: Int = 0
  ) throws -> [String?] {
    try context.objects("Item", sortedBy: [order], limit: limit, offset: offset)
      .map { try $0["title"]?.string }
  }

  @Test func `The plan uses the index of a condition and of an order`() throws {
    let some = try context.explain("Item", where: .compare("count", .equal, 3))
    #expect(some == "SEARCH Item USING INDEX history_index_1_1d (count=?)")
    let sorted = try context.explain("Item", sortedBy: [.descending("count")], limit: 2)
    #expect(sorted == "SCAN Item USING INDEX history_index_1_1d")
    let text = try context.explain(
      "Item",
      sortedBy: [.ascending("title", collation: .caseInsensitive)],
      limit: 2
    )
    #expect(text == "SCAN Item USING INDEX history_index_1_0n")
  }

  @Test func `The plan shows a scan and a sort without an index`() throws {
    let some = try context.explain("Item", where: .compare("title", .equal, "a"))
    #expect(some == "SCAN Item")
    let sorted = try context.explain("Item", sortedBy: [.ascending("title")], limit: 2)
    #expect(sorted == "SCAN Item\nUSE TEMP B-TREE FOR ORDER BY")
    #expect(throws: HistoryError.negativeBound("limit", -1)) {
      try context.explain("Item", limit: -1)
    }
    #expect(throws: HistoryError.unknownAttribute("x", of: context.store.model.entities[0])) {
      try context.explain("Item", sortedBy: ["x"])
    }
  }

  @Test func `Text is sorted byte by byte, or with ASCII letters in either case equal`() throws {
    #expect(try titles("title") == ["A", "B", "C", "a", "b", "c"])
    let order = ObjectOrder.ascending("title", collation: .caseInsensitive)
    #expect(try titles(order) == ["a", "A", "b", "B", "C", "c"])
    #expect(
      try titles(.descending("title", collation: .caseInsensitive)) == [
        "C", "c", "b", "B", "a", "A",
      ]
    )
    try context.insert("Item", ["title": "bB"])
    try context.insert("Item", ["title": "É"])
    try context.insert("Item", ["title": "é"])
    let unsaved = try titles(order)
    #expect(unsaved == ["a", "A", "b", "B", "bB", "C", "c", "É", "é"])
    try context.save()
    #expect(try titles(order) == unsaved)
  }

  @Test func `A limit with unsaved edits gives each page of the whole result`() throws {
    let all = try context.objects("Item")
    try all[0].set("0", for: "title")
    try all[1].set("z", for: "title")
    all[2].delete()
    try context.insert("Item", ["title": "b5"])
    for order in [ObjectOrder("title"), .descending("title", collation: .caseInsensitive)] {
      let whole = try titles(order)
      #expect(whole.count == 6)
      for offset in 0...7 {
        for limit in 0...7 {
          #expect(
            try titles(order, limit: limit, offset: offset)
              == Array(whole.dropFirst(offset).prefix(limit))
          )
        }
      }
    }
    #expect(try titles("title", limit: .max, offset: .max) == [])
    #expect(try titles("title", limit: .max, offset: 1).count == 5)
  }

  @Test func `A limit with unsaved edits reads no more rows than it needs`() throws {
    let rows = (0..<500).map { ["title": Value.string("t\($0)"), "count": .int($0 + 100)] }
    try context.store.batchInsert(into: "Item", rows, by: BatchAuthor("import"))
    let fresh = ObjectContext(store: context.store)
    let edited = try #require(try context.objects("Item").first)
    try fresh.object(edited.id)?.set(1_000, for: "count")
    let found = try fresh.objects("Item", sortedBy: [.descending("count")], limit: 3, offset: 1)
    #expect(try found.map { try $0["count"]?.int } == [599, 598, 597])
    let first = try fresh.objects("Item", sortedBy: [.descending("count")], limit: 1)
    #expect(first.map(\.id) == [edited.id])
    #expect(try fresh.registeredObjects("Item").count == 4)
  }
}
