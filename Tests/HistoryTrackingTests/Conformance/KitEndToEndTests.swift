import HistoryStore
import HistoryTypes
import ObjectContexts
import Testing

@testable import HistoryTracking

/// The claims of the kit's end-to-end tests, checked on our tracker.
@Suite struct `Conformance: KitEndToEnd` {
  let shared: TrackedStore
  let other: ObjectContext
  let notes = Notes()

  init() throws {
    shared = try TrackedStore()
    other = try shared.writer("other")
  }

  @Test func `kitAutoSyncStartStop: it records when signalled until it is stopped`()
    async throws
  {
    let signals = Signals()
    let app = try await shared.started("app") { $0.signals = signals.source }
    var reports = await app.passes.makeAsyncIterator()
    try other.write("a")
    signals.send()
    #expect(await reports.next()?.cursor?.number == 1)
    await app.stop()
    try other.write("b")
    signals.send()
    #expect(try shared.cursor("app") == 1)
    // The next report is from the start, so no pass ran between.
    try await app.start()
    #expect(await reports.next()?.numbers == [2])
  }

  @Test func `kitManualCleaner: history is purged by the call, not before`() async throws {
    let app = try await shared.started("app") { $0.strategy = .none }
    try other.write("a", "b")
    try await app.pass()
    #expect(try shared.held() == [1, 2])
    #expect(try app.store.purge().transactionCount == 1)
    #expect(try shared.held() == [2])
  }

  @Test func `kitMultiContextSync: both contexts see the row`() async throws {
    let app = try await shared.started("app", contexts: 2)
    try other.write("a")
    try await app.pass()
    for context in app.contexts { #expect(try context.titles == ["a"]) }
  }

  @Test func `kitRegisterObserverHook: the observer gets entity and operation`() async throws {
    let app = try await shared.started("app")
    try await app.registerObserver(entity: "Person", operation: .insert) { [notes] in
      notes.note($0)
    }
    try other.insert("Person", ["name": "Ann"])
    try other.save()
    try await app.pass()
    #expect(notes.all == ["insert Person x1 of #1"])
  }

  @Test func `kitRegisterMergeHook: the hook gets transactions and contexts`() async throws {
    let app = try await shared.started("app")
    try await app.registerMergeHook { [notes] input in
      notes.note("\(input.transactions.count) into \(input.contexts.count)")
      return .proceed
    }
    try other.write("a")
    try await app.pass()
    #expect(notes.all == ["1 into 1"])
  }

  @Test func `twoAppsWithKit: both readers see a third author's row`() async throws {
    let apps = [try await shared.started("one"), try await shared.started("two")]
    try other.write("a")
    for app in apps { try await app.pass() }
    for app in apps { #expect(try app.view.titles == ["a"]) }
  }

  @Test func `timestampPersistence: a relaunch continues from the recorded cursor`()
    async throws
  {
    var app: HistoryTracker? = try await shared.started("app")
    try other.write("a")
    try await app?.pass()
    await app?.stop()
    app = nil
    try other.write("b")
    let again = try shared.tracker("app")
    #expect(try await again.start().numbers == [2])
  }
}
