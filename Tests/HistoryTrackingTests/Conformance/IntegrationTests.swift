import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import Testing

@testable import HistoryTracking

/// The claims of the kit's integration tests, checked on our tracker.
@Suite(.inEveryLayout) struct `Conformance: Integration` {
  let shared: TrackedStore
  let other: ObjectContext
  let notes = Notes()

  init() throws {
    shared = try TrackedStore()
    other = try shared.writer("other")
  }

  @Test func `hookTriggerIntegration: insert, update and delete are notified`() async throws {
    let app = try await shared.started("app")
    for operation in ChangeType.allCases {
      try await app.registerObserver(entity: "Item", operation: operation) { [notes] in
        notes.note($0)
      }
    }
    let item = try other.insert("Item", ["title": "a"])
    try other.save()
    try item.set("b", for: "title")
    try other.save()
    item.delete()
    try other.save()
    try await app.pass()
    #expect(
      notes.all == ["insert Item x1 of #1", "update Item x1 of #2", "delete Item x1 of #3"]
    )
  }

  @Test func `twoAppsMergeUpdateIntoRegisteredObject: a stale object is refreshed`() async throws {
    let person = try other.insert("Person", ["name": "Ann", "age": 30])
    try other.save()
    let apps = [try await shared.started("one"), try await shared.started("two")]
    for app in apps { #expect(try app.view.object(person.id)?["age"] == 30) }
    try person.set(31, for: "age")
    try other.save()
    for app in apps {
      let held = try #require(try app.view.object(person.id))
      #expect(try held["age"] == 30)
      try await app.pass()
      #expect(try held["age"] == 31)
    }
  }

  @Test func `manualCleanerIntegration: rows survive the purge of their history`() async throws {
    let app = try await shared.started("app") { $0.strategy = .none }
    try other.write("a", "b", "c")
    try await app.pass()
    try app.store.purge()
    let reader = try shared.writer(nil)
    try reader.loadAll()
    #expect(try reader.titles == ["a", "b", "c"])
    #expect(try shared.held() == [3])
  }

  @Test func `batchOperationSync: ten rows of one transaction are seen`() async throws {
    let app = try await shared.started("app")
    let rows: [[String: Value]] = (0..<10).map { ["title": .string("\($0)")] }
    _ = try shared.open().batchInsert(into: "Item", rows, by: BatchAuthor("import"))
    let report = try await app.pass()
    #expect(report.transactionCount == 1 && report.changeCount == 10)
    #expect(try app.view.titles.count == 10)
  }

  @Test func `multiContextSync: each context gets the other one's saves`() async throws {
    let app = try await shared.started("app", contexts: 2)
    try app.contexts[0].write("from 0")
    try app.contexts[1].write("from 1")
    try await app.pass()
    for context in app.contexts { #expect(try context.titles == ["from 0", "from 1"]) }
  }
}
