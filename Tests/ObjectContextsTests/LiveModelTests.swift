import HistoryStore
import HistoryTypes
import PropertyTesting
import PropertyTraits
import StoreFixtures
import Testing

@testable import ObjectContexts

struct `Live queries as a model` {
  @Test(.property(cases: 50, seed: 1))
  func `The differences add up to a fresh fetch at the same position`() async throws {
    try await property { source in
      var machine = try LiveMachine()
      try source.perform(on: &machine)
    }
  }
}

/// A context with live queries, whose differences a reader adds up.
private struct LiveMachine: CommandMachine {
  enum Command {
    case insert(Int64)
    case set(Int, Int64)
    case rename(Int, Int64)
    case delete(Int)
    case save, rollback
    case otherInsert(Int64)
    case otherSet(Int, Int64)
    case otherRename(Int, Int64)
    case otherDelete(Int)
    case merge
    case read(Int)
    case release(Int)
    case reset
  }

  struct Difference: Error { let text: String }

  static let rules: [CommandRule<LiveMachine>] = [
    CommandRule("insert") { _, source in .insert(count(&source)) },
    CommandRule("set", weight: 2) { .set(place($0, &$1), count(&$1)) },
    CommandRule("rename") { .rename(place($0, &$1), count(&$1)) },
    CommandRule("delete") { .delete(place($0, &$1)) },
    CommandRule("save") { _, _ in .save },
    CommandRule("rollback") { _, _ in .rollback },
    CommandRule("otherInsert", weight: 2) { _, source in .otherInsert(count(&source)) },
    CommandRule("otherSet", weight: 3) { .otherSet(place($0, &$1), count(&$1)) },
    CommandRule("otherRename") { .otherRename(place($0, &$1), count(&$1)) },
    CommandRule("otherDelete", weight: 2) { .otherDelete(place($0, &$1)) },
    CommandRule("merge", weight: 4) { _, _ in .merge },
    CommandRule("read", weight: 4) { machine, source in
      .read(source.int(in: 0...machine.readers.count - 1, label: "query"))
    },
    CommandRule("release") { .release(place($0, &$1)) },
    CommandRule("reset") { _, _ in .reset },
  ]

  private static func count(_ source: inout ChoiceSource) -> Int64 {
    Int64(source.int(in: 0...5, label: "count"))
  }

  private static func place(_ machine: LiveMachine, _ source: inout ChoiceSource) -> Int {
    source.int(in: 0...max(0, machine.ids.count - 1), label: "object")
  }

  private struct Query {
    var predicate: ObjectPredicate?
    var orders: [ObjectOrder] = []
    var section: ObjectOrder?
    var limit: Int?
    var offset = 0
  }

  /// What a reader has added up.
  private struct Reader {
    let query: Query
    let reader: LiveReader
    var ids: [ObjectID] = []
    var values: [ObjectID: [Value?]] = [:]
    var sections: [LiveSection] = []
  }

  private let file: StoreFile
  private let context: ObjectContext
  private let other: ObjectContext
  private var readers: [Reader] = []
  private var ids: [ObjectID] = []
  private var merged: HistoryToken

  init() throws {
    file = try StoreFile()
    context = try file.context("app", .objectWins, retains: false)
    other = try file.context("widget", .objectWins)
    let rows = (0..<14).map { ["title": Value.string("t\($0)"), "count": .int(3 + $0 % 3)] }
    ids = try context.store.batchInsert(
      into: "Item",
      rows,
      by: BatchAuthor("import"),
      result: .objectIDs
    ).objectIDs
    merged = try context.store.currentToken()
    let some: ObjectPredicate = .compare("count", .less, 4)
    let queries = [
      Query(predicate: some, orders: ["count"], limit: 3),
      Query(orders: [.descending("count"), "title"], limit: 2, offset: 2),
      Query(predicate: .not(some), section: "count"),
      Query(predicate: .compare("count", .equal, 2), limit: 1, offset: 1),
      Query(limit: 0),
    ]
    for query in queries {
      let live = try context.liveObjects(
        "Item",
        where: query.predicate,
        sortedBy: query.orders,
        sectionedBy: query.section,
        limit: query.limit,
        offset: query.offset
      )
      guard let reader = live.makeAsyncIterator().reader else { continue }
      readers.append(Reader(query: query, reader: reader))
      try read(readers.count - 1)
    }
  }

  mutating func perform(_ command: Command) throws {
    switch command {
    case .insert(let count):
      ids.append(try context.insert("Item", ["title": "new", "count": .int(count)]).id)
    case .set(let place, let count): try edit(place, "count", .int(count))
    case .rename(let place, let number): try edit(place, "title", .string("t\(number)"))
    case .delete(let place): context.delete(ids[place])
    case .save: try context.save()
    case .rollback: context.rollback()
    case .otherInsert(let count): ids.append(try other.savedItem("other", count: count))
    case .otherSet(let place, let count): try write(place, "count", .int(count))
    case .otherRename(let place, let number): try write(place, "title", .string("t\(number)"))
    case .otherDelete(let place):
      other.releaseAll()
      other.delete(ids[place])
      try other.save()
    case .merge: try merge()
    case .read(let number): try read(number)
    case .release(let place): context.release(ids[place])
    case .reset: context.reset()
    }
  }

  mutating func finish() throws {
    try merge()
    for number in readers.indices { try read(number) }
    try context.save()
    for number in readers.indices { try read(number) }
  }

  private func edit(_ place: Int, _ attribute: String, _ value: Value) throws {
    try context.object(ids[place])?.set(value, for: attribute)
  }

  private func write(_ place: Int, _ attribute: String, _ value: Value) throws {
    other.releaseAll()
    try other.object(ids[place])?.set(value, for: attribute)
    try other.save()
  }

  private mutating func merge() throws {
    let page = try context.store.fetch(HistoryRequest(after: merged))
    try context.merge(page.transactions)
    merged = page.scannedThrough
  }

  /// Reads a query, and compares it with a fresh fetch if everything is merged.
  private mutating func read(_ number: Int) throws {
    let query = readers[number].query
    if case .result(let result) = try readers[number].reader.evaluate() {
      guard let ids = readers[number].ids.applying(result.difference), ids == result.objectIDs
      else { throw Difference(text: "\(readers[number].ids) \(result.difference)") }
      readers[number].ids = ids
      for change in result.difference.insertions {
        guard case .insert(_, let id, _) = change else { continue }
        readers[number].values[id] = try context.item(id)
      }
      for id in result.updated { readers[number].values[id] = try context.item(id) }
      readers[number].sections = result.sections
    }
    guard try context.store.currentToken() == merged else { return }
    let fresh = try context.objects(
      "Item",
      where: query.predicate,
      sortedBy: (query.section.map { [$0] } ?? []) + query.orders,
      limit: query.limit,
      offset: query.offset
    )
    guard fresh.map(\.id) == readers[number].ids else {
      throw Difference(text: "query \(number): \(readers[number].ids), not \(fresh.map(\.id))")
    }
    if let order = query.section { try check(readers[number].sections, fresh, order) }
    for object in fresh {
      guard try context.item(object.id) == readers[number].values[object.id] else {
        throw Difference(text: "query \(number): the values of \(object.id)")
      }
    }
  }

  private func check(
    _ sections: [LiveSection],
    _ fresh: [StoredObject],
    _ order: ObjectOrder
  ) throws {
    let values = try fresh.map { try $0[order.attribute] }
    let expected = sections.flatMap { section in section.range.map { _ in section.value } }
    guard values == expected, Set(sections.map(\.value)).count == sections.count else {
      throw Difference(text: "sections \(sections) of \(values)")
    }
  }
}
