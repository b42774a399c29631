import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import Testing

@testable import HistoryTracking

/// The claims of the kit's tests of grouped notifications, checked on our tracker.
@Suite(.inEveryLayout) struct `Conformance: ObserverGrouping` {
  let shared: TrackedStore
  let other: ObjectContext
  let notes = Notes()

  init() throws {
    shared = try TrackedStore()
    other = try shared.writer("other")
  }

  /// A tracker with an observer of everything.
  private func observed() async throws -> HistoryTracker {
    let app = try await shared.started("app")
    for entity in shared.model.entities {
      for operation in ChangeType.allCases {
        try await app.registerObserver(entity: entity.name, operation: operation) { [notes] in
          notes.note($0)
        }
      }
    }
    return app
  }

  private func insert(items: Int = 0, people: Int = 0) throws -> [StoredObject] {
    let items = try (0..<items).map { try other.insert("Item", ["title": .string("\($0)")]) }
    return try items + (0..<people).map { try other.insert("Person", ["name": .string("\($0)")]) }
  }

  @Test func `multipleInsertsGrouped: five inserts of one transaction are one call`() async throws {
    let app = try await observed()
    _ = try insert(items: 5)
    try other.save()
    try await app.pass()
    #expect(notes.all == ["insert Item x5 of #1"])
  }

  @Test func `multipleDeletesGrouped: three deletes are one call, each with its tombstone`()
    async throws
  {
    let app = try await shared.started("app")
    try await app.registerObserver(entity: "Item", operation: .delete) { [notes] group in
      notes.note(group)
      for context in group { notes.note("\(context.tombstone?["title"] ?? .null)") }
    }
    let items = try insert(items: 3)
    try other.save()
    for item in items { item.delete() }
    try other.save()
    try await app.pass()
    #expect(notes.all == ["delete Item x3 of #2", #""0""#, #""1""#, #""2""#])
  }

  @Test func `differentEntitiesTriggerSeparateHooks: three and two objects in separate calls`()
    async throws
  {
    let app = try await observed()
    _ = try insert(items: 3, people: 2)
    try other.save()
    try await app.pass()
    #expect(notes.all == ["insert Item x3 of #1", "insert Person x2 of #1"])
  }

  @Test func `differentOperationsTriggerSeparateHooks: two and two objects in separate calls`()
    async throws
  {
    let app = try await observed()
    let items = try insert(items: 2)
    try other.save()
    for item in items { try item.set(7, for: "count") }
    _ = try insert(items: 2)
    try other.save()
    try await app.pass()
    #expect(
      notes.all == ["insert Item x2 of #1", "update Item x2 of #2", "insert Item x2 of #2"]
    )
  }

  @Test func `multipleTransactionsTriggerSeparateHooks: two calls, of two and of three objects`()
    async throws
  {
    let app = try await observed()
    for count in [2, 3] {
      _ = try insert(items: count)
      try other.save()
    }
    try await app.pass()
    #expect(notes.all == ["insert Item x2 of #1", "insert Item x3 of #2"])
  }

  @Test func `observerHookTriggerOrderMatchesChangeOrder: groups are in order of first occurrence`()
    async throws
  {
    let app = try await observed()
    let kept = try insert(items: 2)
    try other.save()
    _ = try insert(people: 1)
    kept[0].delete()
    _ = try insert(items: 1)
    try kept[1].set(1, for: "count")
    _ = try insert(people: 1)
    try other.save()
    try await app.pass()
    let second = try #require(try other.store.transaction(2))
    let appearances = second.changes.map { "\($0.type) \($0.entityName ?? "")" }
    var order: [String] = []
    for appearance in appearances where !order.contains(appearance) { order.append(appearance) }
    #expect(order.count == 4)
    #expect(notes.all.dropFirst().map { $0.components(separatedBy: " x")[0] } == order)
  }
}
