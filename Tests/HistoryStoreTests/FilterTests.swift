import HistoryStore
import HistoryTypes
import PropertyTesting
import PropertyTraits
import StoreFixtures
import TestSupport
import Testing

/// Every result of a filter equals that of a naive filter over all of history.
@Suite(.inEveryLayout) struct FilterTests {
  @Test(
    .property(cases: 2, seed: 1),
    arguments: [StoreConfiguration.Timestamps.monotone, .wallClock]
  )
  func `Every result equals that of a naive filter over all transactions`(
    timestamps: StoreConfiguration.Timestamps
  ) async throws {
    try await property { source in
      var history = try RandomHistory(timestamps: timestamps)
      try history.write(0...34, &source)
      let all = try history.store.fetch(HistoryRequest(after: nil))
      var filters = Repetition("case", 1...70, length: .mostlyLongest)
      while filters.next(&source) {
        let filter = history.filter(&source)
        let changes = all.changes.filter(filter.matches)
        let numbers = all.transactions.filter { $0.changes.contains(where: filter.matches) }
          .map(\.number.rawValue)
        let facts = changes.map(ChangeFacts.init)
        try Self.expect(history.anyStore(&source), filter, numbers, facts, in: all)
      }
    }
  }

  private static func expect(
    _ store: Store,
    _ filter: HistoryFilter,
    _ numbers: [Int64],
    _ changes: [ChangeFacts],
    in all: HistoryPage
  ) throws {
    var request = HistoryRequest(after: nil, filter: filter, transactionCountMax: 4)
    for contents in HistoryContents.allCases {
      request.contents = contents
      let pages = try pages(store, request)
      #expect(
        pages.flatMap { $0.transactions.map(\.number.rawValue) } == numbers,
        "\(filter) \(contents)"
      )
      let expected =
        switch contents {
        case .transactionsOnly: [] as [ChangeFacts]
        case .changesOnly: changes
        case .transactionsWithChanges:
          all.changes.filter { numbers.contains($0.transaction.number.rawValue) }.map(
            ChangeFacts.init
          )
        }
      let found = pages.flatMap { $0.changes.map(ChangeFacts.init) }
      #expect(found == expected, "\(filter) \(contents)")
      let inside = pages.flatMap { $0.transactions.flatMap { $0.changes.map(ChangeFacts.init) } }
      #expect(inside == expected, "\(filter) \(contents)")
      let count = contents == .changesOnly ? changes.count : numbers.count
      #expect(try store.count(request) == count, "\(filter) \(contents)")
    }
    #expect(try store.objectIDs(request) == Set(changes.map(\.object)).sorted(), "\(filter)")
    #expect(try store.hasHistory(request) == !numbers.isEmpty, "\(filter)")
    var reader = try store.reader(request)
    var read: [Int64] = []
    while let page = try reader.next() { read += page.transactions.map(\.number.rawValue) }
    #expect(read == numbers, "\(filter)")
  }

  static func pages(_ store: Store, _ first: HistoryRequest) throws -> [HistoryPage] {
    var pages = [try store.fetch(first)]
    var request = first
    while let last = pages.last, last.hasMore {
      request = request.next(after: last)
      pages.append(try store.fetch(request))
    }
    #expect(pages.last?.scannedThrough == (try store.currentToken()))
    return pages
  }

  // MARK: Examples

  let fixture: StoreFixture
  let store: Store
  let objects: [ObjectID]

  /// #1 inserts two items and a tag, #2 updates an item, #3 deletes the tag, #4 has no changes.
  init() throws {
    fixture = try StoreFixture()
    store = try fixture.open()
    let items = try [store.makeObjectID("Item"), store.makeObjectID("Item")]
    let tag = try store.makeObjectID("Tag")
    let nulls = Array(repeating: Value.null, count: 8)
    try store.save([
      ObjectEdit(.insert, items[0], values: nulls), ObjectEdit(.insert, tag, values: [.null]),
      ObjectEdit(.insert, items[1], values: nulls),
    ])
    try store.save([ObjectEdit(.update, items[1], columns: 0b11, version: 1, values: ["b", 2])])
    try store.save([ObjectEdit(.delete, tag, version: 1)])
    objects = items + [tag]
    try fixture.execute(fixture.layout.emptyCopy(of: 3, as: 4))
  }

  @Test func `A transaction matches if any of its changes does, and returns all of them`()
    throws
  {
    let page = try store.fetch(HistoryRequest(after: nil, filter: .entity("Tag")))
    #expect(page.transactions.map(\.number) == [1, 3])
    #expect(page.transactions.map(\.changes.count) == [3, 1])
    #expect(try store.numbers(after: nil, .not(.entity("Tag"))) == [1, 2])
    #expect(try store.numbers(after: nil, .all([.entity("Tag"), .type(.delete)])) == [3])
    #expect(try store.numbers(after: nil, .all([.entity("Item"), .type(.delete)])) == [])
    #expect(try store.numbers(after: nil, .object(objects[1])) == [1, 2])
    #expect(try store.numbers(after: nil, .object(ObjectID(entity: 1, key: 99))) == [])
    #expect(try store.numbers(after: nil, .object(ObjectID(entity: 9, key: 1))) == [])
  }

  @Test func `A transaction without changes matches filters that need no change`() throws {
    #expect(try store.numbers() == [1, 2, 3, 4])
    #expect(try store.numbers(after: nil, .author("app")) == [1, 2, 3, 4])
    #expect(try store.numbers(after: nil, .any([.author("app"), .entity("Tag")])) == [1, 2, 3, 4])
    #expect(try store.numbers(after: nil, .not(.entity("Tag"))) == [1, 2])
    #expect(try store.numbers(after: nil, .any([.type(.insert), .numbers(3...9)])) == [1, 3, 4])
    var request = HistoryRequest(after: nil)
    request.contents = .changesOnly
    #expect(try store.fetch(request).transactions.map(\.number) == [1, 2, 3])
  }

  @Test func `With changes only, the matching changes are returned in their places`() throws {
    var request = HistoryRequest(after: nil, filter: .entity("Item"))
    request.contents = .changesOnly
    let page = try store.fetch(request)
    #expect(page.transactions.map(\.number) == [1, 2])
    #expect(page.transactions.map(\.changeCount) == [3, 1])
    #expect(page.changes.map(\.objectID) == [objects[0], objects[1], objects[1]])
    let all = try store.fetch(HistoryRequest(after: nil))
    let items = all.changes.filter { $0.entityName == "Item" }
    #expect(page.changes.map(\.id) == items.map(\.id))
    #expect(Set(page.changes.map(\.id)).count == 3)
    #expect(page.changes.map(\.transaction.number) == [1, 1, 2])
    #expect(page.changes.last?.updatedProperties == ["title", "count"])
  }

  @Test func `With transactions only, change counts are returned without changes`() throws {
    var request = HistoryRequest(after: nil)
    request.contents = .transactionsOnly
    let page = try store.fetch(request)
    #expect(page.transactions.map(\.changeCount) == [3, 1, 1, 0])
    #expect(page.transactions.allSatisfy { $0.changes.isEmpty })
    #expect(page.changes.isEmpty)
  }

  @Test func `Changes that the request does not need are not read`() throws {
    for number in [1, 3] as [Int64] { try fixture.execute(fixture.layout.damage(of: number)) }
    var request = HistoryRequest(after: nil, filter: .author("app"))
    request.contents = .transactionsOnly
    #expect(try store.fetch(request).transactions.count == 4)
    #expect(try store.count(HistoryRequest(after: nil)) == 4)
    request.contents = .changesOnly
    #expect(try store.count(request) == 5)
    request = HistoryRequest(after: nil, filter: .all([.entity("Tag"), .numbers(2...2)]))
    if fixture.layout == .packed {
      // #2 changed no tag, as its bitmap of entities shows, so its changes are not read.
      try fixture.execute(fixture.layout.damage(of: 2))
      #expect(try store.count(request) == 0)
    }
    request.filter = .entity("Tag")
    #expect(throws: HistoryError.damagedTransaction(1)) { try store.count(request) }
  }

  @Test func `A filter on an unknown entity is refused`() throws {
    #expect(throws: HistoryError.unknownEntity("Note", in: store.model)) {
      try store.numbers(after: nil, .any([.author("app"), .not(.entity("Note"))]))
    }
  }

  @Test func `Entities that share a bit of the bitmap are distinguished`() throws {
    let model = try Model((1...65).map { Entity("E\($0)", [Attribute("a", .int)]) })
    var fixture = fixture
    fixture.configuration.random = { 7 }
    let store = try Store(
      path: fixture.folder.path("many"),
      model: model,
      configuration: fixture.configuration
    )
    for name in ["E1", "E65", "E64", "E63"] {
      try store.save([ObjectEdit(.insert, try store.makeObjectID(name), values: [.null])])
    }
    #expect(try store.numbers(after: nil, .entity("E1")) == [1])
    #expect(try store.numbers(after: nil, .entity("E65")) == [2])
    #expect(try store.numbers(after: nil, .entity("E64")) == [3])
    #expect(try store.numbers(after: nil, .entity("E63")) == [4])
    #expect(try store.numbers(after: nil, .not(.entity("E63"))) == [1, 2, 3])
  }

  @Test func `Ranges include their ends, even at the limits of the type`() throws {
    #expect(try store.numbers(after: nil, .numbers(2...3)) == [2, 3])
    #expect(
      try store.numbers(after: nil, .numbers(HistoryFilter.range(.min ... .max))) == [1, 2, 3, 4]
    )
    #expect(try store.numbers(after: nil, .numbers(HistoryFilter.range(5 ... .max))) == [])
    #expect(try store.numbers(after: nil, .all([.numbers(1...3), .numbers(3...9)])) == [3])
    #expect(try store.numbers(after: nil, .all([.numbers(1...1), .numbers(3...9)])) == [])
    let dates = try store.fetch(HistoryRequest(after: nil)).transactions.map(\.timestamp)
    #expect(try store.numbers(after: nil, .timestamps(dates[1]...dates[2])) == [2, 3])
    #expect(try store.numbers(after: nil, .timestamps(.distantPast ... .distantFuture)).count == 4)
  }
}
