import HistoryStore
import HistoryTypes
import ObjectContexts
import Testing

@testable import HistoryTracking

/// The claims of the kit's tests of its merge hooks, checked on our tracker.
@Suite struct `Conformance: MergeHook` {
  let shared: TrackedStore
  let other: ObjectContext
  let notes = Notes()

  init() throws {
    shared = try TrackedStore()
    other = try shared.writer("other")
  }

  /// A hook that records its name.
  private func hook(_ name: String, _ result: MergeHookResult = .proceed) -> MergeHookCallback {
    { [notes] _ in
      notes.note(name)
      return result
    }
  }

  @Test func `registerAndRemoveMergeHook: removing returns true once`() async throws {
    let app = try await shared.started("app")
    let id = try await app.registerMergeHook(callback: hook("a"))
    #expect(await app.removeMergeHook(id: id))
    #expect(await !app.removeMergeHook(id: id))
    try other.write("x")
    try await app.pass()
    #expect(notes.all.isEmpty)
  }

  @Test func `removeAllMergeHooks: no hook is called, and the default merge runs`() async throws {
    let app = try await shared.started("app")
    for name in ["a", "b"] { try await app.registerMergeHook(callback: hook(name, .finish)) }
    await app.removeAllMergeHooks()
    try other.write("x")
    try await app.pass()
    #expect(try notes.all.isEmpty && app.view.titles == ["x"])
  }

  @Test func `mergeHookPipelineGoOn: both hooks are called`() async throws {
    let app = try await shared.started("app")
    for name in ["a", "b"] { try await app.registerMergeHook(callback: hook(name)) }
    try other.write("x")
    try await app.pass()
    #expect(try notes.all == ["a", "b"] && app.view.titles == ["x"])
  }

  @Test
  func `mergeHookPipelineFinish: the second is not called, no row is merged, the cursor moves`()
    async throws
  {
    let app = try await shared.started("app")
    try await app.registerMergeHook(callback: hook("a", .finish))
    try await app.registerMergeHook(callback: hook("b"))
    try other.write("x")
    let report = try await app.pass()
    #expect(notes.all == ["a"])
    #expect(report.transactionCount == 0 && report.cursor?.number == 1)
    #expect(try app.view.titles.isEmpty && shared.cursor("app") == 1)
    await app.removeAllMergeHooks()
    try await app.pass()
    #expect(try app.view.titles.isEmpty, "it has opted out for good")
  }

  @Test func `mergeHookExecutionOrder: hooks run in the order of registration`() async throws {
    let app = try await shared.started("app")
    for name in ["1", "2", "3"] { try await app.registerMergeHook(callback: hook(name)) }
    try other.write("x")
    try await app.pass()
    #expect(notes.all == ["1", "2", "3"])
  }

  @Test func `mergeHookInsertBefore: the inserted hook runs first`() async throws {
    let app = try await shared.started("app")
    let first = try await app.registerMergeHook(callback: hook("A"))
    try await app.registerMergeHook(before: first, callback: hook("B"))
    try other.write("x")
    try await app.pass()
    #expect(notes.all == ["B", "A"])
  }

  @Test func `mergeHookInsertBefore: an unknown hook is an error`() async throws {
    let app = try await shared.started("app")
    let gone = try await app.registerMergeHook(callback: hook("A"))
    await app.removeMergeHook(id: gone)
    await #expect(throws: HistoryError.unknownHook("hook 1")) {
      try await app.registerMergeHook(before: gone, callback: hook("B"))
    }
    try other.write("x")
    try await app.pass()
    #expect(notes.all.isEmpty)
  }

  @Test func `mergeHookAccessInput: the hook gets transactions, contexts and author`() async throws
  {
    let app = try await shared.started("app")
    let view = app.view
    try await app.registerMergeHook { [notes] input in
      notes.note("\(input.transactions.map { $0.author ?? "-" }) \(input.contexts == [view])")
      notes.note("\(input.member) before: \(try view.titles)")
      return .proceed
    }
    try other.write("x", "y")
    try await app.pass()
    #expect(notes.all == [#"["other", "other"] true"#, "app before: []"])
  }

  @Test func `defaultMergeWithoutHooks: the row is merged`() async throws {
    let app = try await shared.started("app")
    try other.write("x")
    try await app.pass()
    #expect(try app.view.titles == ["x"])
  }
}
