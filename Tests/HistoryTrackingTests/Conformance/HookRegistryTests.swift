import HistoryStore
import HistoryTypes
import ObjectContexts
import Testing

@testable import HistoryTracking

/// The claims of the kit's tests of its observer registry, checked on our tracker.
@Suite struct `Conformance: HookRegistry` {
  let shared: TrackedStore
  let other: ObjectContext
  let notes = Notes()

  init() throws {
    shared = try TrackedStore()
    other = try shared.writer("other")
  }

  /// Registers an observer that records its name.
  @discardableResult
  private func observe(
    _ name: String,
    _ entity: String = "Item",
    _ operation: ChangeType = .insert,
    in app: HistoryTracker
  ) async throws -> HookID {
    try await app.registerObserver(entity: entity, operation: operation) { [notes] _ in
      notes.note(name)
    }
  }

  /// Inserts and updates an item in another process, then runs a pass.
  private func happen(in app: HistoryTracker) async throws {
    let item = try other.insert("Item", ["title": "x"])
    try other.save()
    try item.set(1, for: "count")
    try other.save()
    try await app.pass()
  }

  @Test func `registerAndTriggerHook: a registered hook is called`() async throws {
    let app = try await shared.started("app")
    try await observe("a", in: app)
    try await happen(in: app)
    #expect(notes.all == ["a"])
  }

  @Test func `removeHook: a removed hook is not called`() async throws {
    let app = try await shared.started("app")
    try await observe("a", in: app)
    try await app.removeObserver(entity: "Item", operation: .insert)
    try await happen(in: app)
    #expect(notes.all.isEmpty)
  }

  @Test func `differentEntityHooks: each hook is notified of its own entity`() async throws {
    let app = try await shared.started("app")
    try await observe("item", in: app)
    try await observe("person", "Person", in: app)
    try other.insert("Person", ["name": "Ann"])
    try other.save()
    try await app.pass()
    #expect(notes.all == ["person"])
  }

  @Test func `registerHookReturnsUUID: every registration has a different identity`() async throws {
    let app = try await shared.started("app")
    var ids: Set<HookID> = []
    for _ in 0..<5 { ids.insert(try await observe("a", in: app)) }
    ids.insert(try await app.registerMergeHook { _ in .proceed })
    #expect(ids.count == 6)
  }

  @Test func `removeHookByUUID: a hook removed by identity is not called`() async throws {
    let app = try await shared.started("app")
    let id = try await observe("a", in: app)
    #expect(await app.removeObserver(id: id))
    try await happen(in: app)
    #expect(notes.all.isEmpty)
  }

  @Test func `removeNonexistentUUID: the result is false`() async throws {
    let app = try await shared.started("app")
    let id = try await observe("a", in: app)
    await app.removeObserver(id: id)
    #expect(await !app.removeObserver(id: id))
  }

  @Test func `removeSpecificHookFromMultiple: the other hooks are called`() async throws {
    let app = try await shared.started("app")
    try await observe("a", in: app)
    let removed = try await observe("b", in: app)
    try await observe("c", in: app)
    await app.removeObserver(id: removed)
    try await happen(in: app)
    #expect(notes.all == ["a", "c"])
  }

  @Test func `removeAllHooksForEntityOperation: hooks of the other operation are kept`()
    async throws
  {
    let app = try await shared.started("app")
    try await observe("a", in: app)
    try await observe("b", in: app)
    try await observe("update", "Item", .update, in: app)
    try await app.removeObserver(entity: "Item", operation: .insert)
    try await happen(in: app)
    #expect(notes.all == ["update"])
  }

  @Test func `multipleHooksExecutionOrder: hooks run in the order of registration`() async throws {
    let app = try await shared.started("app")
    for name in ["1", "2", "3"] { try await observe(name, in: app) }
    try await happen(in: app)
    #expect(notes.all == ["1", "2", "3"])
  }

  @Test func `removeAllObserversClearsEverything: no observer is called`() async throws {
    let app = try await shared.started("app")
    try await observe("a", in: app)
    try await observe("b", "Item", .update, in: app)
    try await observe("c", "Person", in: app)
    await app.removeAllObservers()
    try await happen(in: app)
    #expect(notes.all.isEmpty)
  }
}
