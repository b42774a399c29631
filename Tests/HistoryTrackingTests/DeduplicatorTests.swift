import HistoryStore
import HistoryTypes
import ObjectContexts
import PropertyTesting
import PropertyTraits
import StoreFixtures
import Synchronization
import TestSupport
import Testing

@testable import HistoryTracking

@Suite(.inEveryLayout) struct `Removing duplicates` {
  let shared: TrackedStore
  let other: ObjectContext

  init() throws {
    shared = try TrackedStore()
    other = try shared.writer("other")
  }

  /// A tracker that keeps one item of each title.
  private func tracker(
    _ name: MemberID,
    combining combine: ObjectDeduplicator.Combine? = nil
  ) async throws -> HistoryTracker {
    let store = try shared.open()
    return try await shared.started(name, on: store) {
      $0.deduplicator = ObjectDeduplicator(
        store: store,
        entity: "Item",
        by: ["title"],
        author: name.name,
        combining: combine
      )
    }
  }

  private func titles() throws -> [String] {
    let reader = try shared.writer(nil)
    try reader.loadAll()
    return try reader.titles
  }

  @Test func `The oldest duplicate is kept, and removal terminates`() async throws {
    let app = try await tracker("app")
    let ids = try other.write("a", "b", "a", "a", "c")
    try await app.pass()
    #expect(try titles() == ["a", "b", "c"])
    #expect(try await app.pass().transactionCount == 1, "it merges what it removed itself")
    #expect(try app.view.titles == ["a", "b", "c"])
    #expect(try app.view.object(ids[0]) != nil && app.view.object(ids[2]) == nil)
    #expect(try await app.pass().transactionCount == 0)
    #expect(try other.store.currentToken().number == 6)
  }

  @Test func `A pass whose deduplicator fails is repeated with the same transactions`() async throws
  {
    let isFirst = Mutex(true)
    let app = try await tracker("app") { _, _ in
      let fails = isFirst.withLock { first in
        defer { first = false }
        return first
      }
      if fails { throw HistoryError.stopped("the first combination fails") }
      return [:]
    }
    try other.write("a", "b", "a")
    await #expect(throws: HistoryError.self) { try await app.pass() }
    #expect(try app.view.titles == ["a", "a", "b"])
    #expect(try other.store.members().first?.cursor.rawValue == 0, "the cursor stays before them")
    #expect(try await app.pass().transactionCount == 3)
    #expect(try titles() == ["a", "b"])
  }

  @Test
  func `An object that becomes equal by an update is a duplicate, other updates are not checked`()
    async throws
  {
    let app = try await tracker("app")
    let ids = try other.write("a", "b")
    try await app.pass()
    try other.object(ids[0])?.set(5, for: "count")
    try other.save()
    try await app.pass()
    #expect(try titles() == ["a", "b"])
    try other.object(ids[1])?.set("a", for: "title")
    try other.save()
    try await app.pass()
    #expect(try titles() == ["a"])
  }

  @Test func `Objects without a value are never duplicates`() async throws {
    let app = try await tracker("app")
    for _ in 0..<2 { try other.insert("Item", ["count": 1]) }
    try other.save()
    try await app.pass()
    #expect(try titles().count == 2)
  }

  @Test func `The kept object gets the values merged from the removed ones`() async throws {
    let app = try await tracker("app") { winner, losers in
      let counts = try ([winner] + losers).compactMap { try $0["count"]?.int }
      return ["count": .int(counts.reduce(0, +))]
    }
    for count in [Int64(1), 2, 4] {
      try other.insert("Item", ["title": "a", "count": .int(count)])
    }
    try other.save()
    try await app.pass()
    try await app.pass()
    #expect(try app.view.registeredObjects("Item").map { try $0["count"] } == [7])
  }

  /// A write of one of three writers, and whether the trackers pass after it.
  private struct Step {
    let title: String
    let writer: Int
    let passes: Bool
  }

  private static let steps = Generator { source in
    Step(
      title: ["a", "b", "c"][source.index(below: 3)],
      writer: source.index(below: 3),
      passes: source.bool()
    )
  }

  @Test(.property(cases: 4, seed: 1))
  func `Two actors that remove duplicates at once remove the same ones and converge`()
    async throws
  {
    try await property(
      Self.steps.array(count: 0...13, length: .mostlyLongest, element: "step")
    ) { steps in
      let round = try Self()
      let trackers = [try await round.tracker("app"), try await round.tracker("widget")]
      let writers = trackers.map(\.view) + [round.other]
      for step in steps {
        try writers[step.writer].write(step.title)
        if step.passes {
          async let one = trackers[0].pass()
          async let two = trackers[1].pass()
          _ = try await (one, two)
        }
      }
      var rounds = 0
      var isQuiet = false
      while !isQuiet && rounds < 8 {
        rounds += 1
        isQuiet = true
        for tracker in trackers {
          if try await tracker.pass().transactionCount > 0 { isQuiet = false }
        }
      }
      #expect(isQuiet)
      let titles = try round.titles()
      #expect(Set(titles).count == titles.count)
      for tracker in trackers { #expect(try tracker.view.titles == titles) }
    }
  }

  @Test func `If the kept object is deleted meanwhile, the others are checked again`()
    async throws
  {
    let raced = RaceOnce()
    let app = try await tracker("app") { winner, _ in
      raced.run {
        let context = ObjectContext(store: winner.context.store, author: "somebody")
        guard let object = try? context.object(winner.id) else { return }
        object.delete()
        _ = try? context.save()
      }
      return [:]
    }
    let ids = try other.write("a", "a", "a")
    try await app.pass()
    try await app.pass()
    #expect(try app.view.registeredObjects("Item").map(\.id) == [ids[1]])
  }
}

/// Lists have items, which are deleted with them, and tags.
@Suite(.inEveryLayout) struct `Removing duplicates that others refer to` {
  let folder: TemporaryFolder
  let context: ObjectContext
  let lists: [StoredObject]

  init() throws {
    folder = try TemporaryFolder()
    context = try Self.open(folder)
    var lists: [StoredObject] = []
    for name in ["a", "b", "a", "a"] {
      lists.append(try context.insert("List", ["name": .string(name)]))
    }
    try context.save()
    self.lists = lists
  }

  private static func open(
    _ folder: borrowing TemporaryFolder,
    newer: [Entity] = []
  ) throws -> ObjectContext {
    var configuration = StoreConfiguration()
    configuration.layout = LayoutTrait.layout
    let entities = [
      Entity("List", [Attribute("name", .string), Attribute("above", to: "List")]),
      Entity("Item", [Attribute("list", to: "List", deleteRule: .cascade)]),
      Entity("Tag", [Attribute("name", .string)]),
      Entity("Tagging", linking: ("list", to: "List"), with: ("tag", to: "Tag")),
    ]
    let model = try Model(entities + newer, version: newer.isEmpty ? 1 : 2)
    let path = folder.path("store")
    return ObjectContext(
      store: try Store(path: path, model: model, configuration: configuration),
      author: "app"
    )
  }

  private func deduplicate(combining combine: ObjectDeduplicator.Combine? = nil) throws {
    try ObjectDeduplicator(store: context.store, entity: "List", by: ["name"], combining: combine)
      .deduplicate(Array(context.store.fetch(HistoryRequest(after: nil)).transactions), in: [])
    try context.loadAll()
  }

  @Test func `References follow to the kept object, and no link is double`() throws {
    let items = try lists.map { list in
      let item = try context.insert("Item")
      try item.setDestination(list, of: "list")
      return item
    }
    let tag = try context.insert("Tag", ["name": "x"])
    for list in lists[1...] { try list.link(to: tag, by: "Tagging") }
    try lists[0].setDestination(lists[2], of: "above")
    try lists[1].setDestination(lists[3], of: "above")
    try context.save()
    try deduplicate()
    #expect(try context.objects("List").map(\.id) == lists.prefix(2).map(\.id))
    #expect(try items.map { try $0.destination(of: "list")?["name"] } == ["a", "b", "a", "a"])
    #expect(try lists[0].objects("Item", referringBy: "list").count == 3)
    #expect(try context.count("Tagging") == 2)
    #expect(try tag.objects(linkedBy: "Tagging").map(\.id) == lists.prefix(2).map(\.id))
    #expect(try lists[0]["above"] == .null && lists[1].destination(of: "above") == lists[0])
    #expect(try context.store.verify().filter(\.isWrong).isEmpty)
    let last = try Array(context.store.fetch(HistoryRequest(after: nil)).transactions).last
    #expect(last?.changes.filter { $0.type == ChangeType.delete }.count == 3)
  }

  @Test func `A duplicate stays if objects refer to it that only a newer model has`() throws {
    let comment = Entity("Comment", [Attribute("list", to: "List", deleteRule: .cascade)])
    let newer = try Self.open(folder, newer: [comment])
    let object = try newer.insert("Comment")
    try object.setDestination(newer.object(lists[3].id), of: "list")
    try newer.save()
    try deduplicate()
    #expect(try context.objects("List").count == 4)
    try ObjectDeduplicator(store: newer.store, entity: "List", by: ["name"])
      .deduplicate(Array(newer.store.fetch(HistoryRequest(after: nil)).transactions), in: [])
    try newer.loadAll()
    #expect(try newer.objects("List").count == 2)
    #expect(try object.destination(of: "list")?.id == lists[0].id)
  }

  @Test func `Duplicates by the constraints of the next model are removed before it is adopted`()
    throws
  {
    func open(_ constraints: [[String]], version: Int) throws -> Store {
      let attributes = [
        Attribute("name", .string), Attribute("list", .int), Attribute("code", .int),
      ]
      let tag = Entity("Tag", attributes, uniquenessConstraints: constraints)
      var configuration = StoreConfiguration()
      configuration.layout = LayoutTrait.layout
      return try Store(
        path: folder.path("tags"),
        model: Model([tag], version: version),
        configuration: configuration
      )
    }
    let store = try open([], version: 1)
    let tags: [[String: Value]] = [
      ["name": "a", "list": 1, "code": 1], ["name": "a", "list": 2, "code": 2],
      ["name": "a", "list": 1, "code": 3], ["name": "b", "list": 1, "code": 2],
      ["name": "c", "code": 4], ["name": "c", "code": 5],
    ]
    try store.batchInsert(into: "Tag", tags, by: BatchAuthor("app"))
    let constraints = [["name", "list"], ["code"]]
    let refused = #expect(throws: HistoryError.self) { try open(constraints, version: 2) }
    #expect(refused?.code == .duplicate)
    let next = Entity("Tag", [], uniquenessConstraints: constraints)
    try ObjectDeduplicator(store: store, byUniquenessConstraintsOf: next)
      .deduplicate(Array(store.fetch(HistoryRequest(after: nil)).transactions), in: [])
    #expect(try store.rows(1).keys == [1, 2, 5, 6])
    let opened = try open(constraints, version: 2)
    #expect(opened.model.entities[0].uniquenessConstraints == constraints)
  }

  @Test func `An object that is inserted while values are combined follows too`() throws {
    let raced = RaceOnce()
    let removed = lists[3].id
    try deduplicate { winner, _ in
      raced.run {
        let other = ObjectContext(store: winner.context.store, author: "widget")
        guard let list = try? other.object(removed), let item = try? other.insert("Item") else {
          return
        }
        try? item.setDestination(list, of: "list")
        _ = try? other.save()
      }
      return [:]
    }
    #expect(try context.objects("List").count == 2)
    let item = try #require(try context.objects("Item").first)
    #expect(try item.destination(of: "list")?.id == lists[0].id)
  }
}

/// Runs a closure the first time only.
private final class RaceOnce: @unchecked Sendable {
  private var isDone = false

  func run(_ body: () -> Void) {
    guard !isDone else { return }
    isDone = true
    body()
  }
}
