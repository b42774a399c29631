import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import Testing

@testable import HistoryTracking

@Suite(.inEveryLayout) struct `A tracker with an older model` {
  let shared: SharedStore
  let newer: Model

  init() throws {
    shared = try SharedStore()
    let item = shared.model.entities[0]
    newer = try Model(
      [
        Entity("Note", [Attribute("text", .string)]),
        Entity("Item", [Attribute("rating", .int, defaultValue: 5)] + item.attributes),
      ],
      version: 2
    )
  }

  private func context(_ model: Model, _ author: String) throws -> ObjectContext {
    var configuration = StoreConfiguration()
    configuration.memberLocks = .none
    configuration.signalsChanges = false
    configuration.layout = LayoutTrait.layout
    let store = try Store(path: shared.path, model: model, configuration: configuration)
    return ObjectContext(store: store, author: author)
  }

  @Test func `A pass skips a newer program's additions to the model, and reports them once`()
    async throws
  {
    let view = try context(shared.model, "old")
    let tracker = HistoryTracker("old", store: view.store, contexts: [view], strategy: .none)
    #expect(try await tracker.start().modelSkew == nil)
    let app = try context(newer, "new")
    let item = try app.insert("Item", ["title": "a", "rating": 1])
    try app.insert("Note", ["text": "n"])
    try app.save()
    let report = try await tracker.pass()
    let skew = try #require(report.modelSkew)
    #expect(skew.fileVersion == 2 && skew.programVersion == 1)
    #expect(
      skew.differences == [
        .addedAttribute(entity: "Item", attribute: "rating", defaultValue: 5),
        .addedEntity("Note"),
      ]
    )
    #expect(report.transactionCount == 2)
    #expect(try view.object(item.id)?["title"] == "a")
    try item.set("b", for: "title")
    try app.save()
    let later = try await tracker.pass()
    #expect(later.modelSkew == nil && later.transactionCount == 1)
    #expect(try view.object(item.id)?["title"] == "b")
  }

  @Test func `A tracker that starts after the change reports it at its first pass`() async throws {
    _ = try context(shared.model, "old")
    let app = try context(newer, "new")
    let view = try context(shared.model, "old")
    let tracker = HistoryTracker("old", store: view.store, contexts: [view], strategy: .none)
    #expect(try await tracker.start().modelSkew?.fileVersion == 2)
    let note = try app.insert("Note", ["text": "n"])
    let item = try app.insert("Item")
    try app.save()
    #expect(try await tracker.pass().modelSkew == nil)
    #expect(try view.object(note.id) == nil)
    let seen = try #require(try view.object(item.id))
    try seen.set("mine", for: "title")
    try view.save()
    try app.refreshAll()
    #expect(try item["title"] == "mine" && item["rating"] == 5)
  }

  @Test func `A tracker on a store that was open before the change reports it at its first pass`()
    async throws
  {
    let view = try context(shared.model, "old")
    _ = try context(newer, "new")
    let tracker = HistoryTracker("old", store: view.store, contexts: [view], strategy: .none)
    #expect(try await tracker.start().modelSkew?.fileVersion == 2)
    #expect(try await tracker.pass().modelSkew == nil)
  }

  @Test func `A resync past the change reports it as well`() async throws {
    let view = try context(shared.model, "old")
    let tracker = HistoryTracker("old", store: view.store, contexts: [view], strategy: .none)
    try await tracker.start()
    _ = try context(newer, "new")
    try await tracker.resync()
    #expect(try await tracker.pass().modelSkew?.fileVersion == 2)
    #expect(try await tracker.pass().modelSkew == nil)
  }

  @Test func `A new object in a context has the default values before its first save`() throws {
    let app = try context(newer, "new")
    let item = try app.insert("Item", ["title": "a"])
    #expect(try item["rating"] == 5 && item["count"] == .null)
    try app.save()
    #expect(try item["rating"] == 5)
    let store = app.store
    #expect(try ObjectContext(store: store).object(item.id)?["rating"] == 5)
    try item.set(.null, for: "rating")
    try app.save()
    #expect(try ObjectContext(store: store).object(item.id)?["rating"] == .null)
  }
}
