import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import Testing

@testable import HistoryTracking

@Suite(.inEveryLayout) struct `Observers` {
  let shared: TrackedStore
  let other: ObjectContext
  let notes = Notes()

  init() throws {
    shared = try TrackedStore()
    other = try shared.writer("other")
  }

  @Test func `Observers are called before the merge, in the order of registration`() async throws {
    let app = try await shared.started("app")
    let view = app.view
    for name in ["a", "b", "c"] {
      try await app.registerObserver(entity: "Item", operation: .insert) { [notes] group in
        notes.note("\(name) \(try view.titles)")
      }
    }
    try other.write("x")
    try await app.pass()
    #expect(notes.all == ["a []", "b []", "c []"])
    #expect(try app.view.titles == ["x"])
  }

  @Test func `The observer's context has author, time and a key for idempotence`() async throws {
    let shared = try TrackedStore()
    let time = Date(timeIntervalSinceReferenceDate: 1000)
    let store = try shared.open { $0.clock = { time } }
    let other = ObjectContext(store: store, author: "other", name: "editor")
    let app = try await shared.started("app")
    let log = Reported()
    for operation in ChangeType.allCases {
      try await app.registerObserver(entity: "Item", operation: operation) { group in
        await log.add(group)
      }
    }
    let item = try other.insert("Item", ["title": "x"])
    try other.save()
    try item.set(3, for: "count")
    try other.save()
    try await app.pass()
    let contexts = await log.contexts
    #expect(contexts.map(\.operation) == [.insert, .update])
    #expect(contexts.map(\.key.number) == [1, 2])
    #expect(contexts.allSatisfy { $0.key.member == "app" && $0.entityName == "Item" })
    #expect(contexts.allSatisfy { $0.objectID == item.id && $0.author == "other" })
    #expect(contexts[0].timestamp == time)
    #expect(contexts[1].updatedProperties == ["count"])
    #expect(contexts[0].objectIDURL == (try store.url(of: item.id)))
    #expect(contexts.allSatisfy { $0.tombstone == nil })
    #expect(contexts[1].transaction.contextName == "editor")
  }

  @Test func `An observer of an unknown entity is an error`() async throws {
    let app = try shared.tracker("app")
    let error = HistoryError.unknownEntity("Itme", in: shared.model)
    await #expect(throws: error) {
      try await app.registerObserver(entity: "Itme", operation: .insert) { _ in }
    }
    await #expect(throws: error) {
      try await app.removeObserver(entity: "Itme", operation: .insert)
    }
  }

  @Test func `Observers are not notified of the only context's own saves`() async throws {
    let app = try await shared.started("app")
    try await app.registerObserver(entity: "Item", operation: .insert) { [notes] in notes.note($0) }
    try app.view.write("mine")
    try await app.pass()
    #expect(notes.all.isEmpty)
    _ = try app.store.batchUpdate("Item", set: ["count": 1], by: BatchAuthor("app"))
    try await app.registerObserver(entity: "Item", operation: .update) { [notes] in notes.note($0) }
    try await app.pass()
    #expect(notes.all == ["update Item x1 of #2"])
  }

  @Test func `An observer removed by another one is not called`() async throws {
    let app = try await shared.started("app")
    let ids = IDs()
    try await app.registerObserver(entity: "Item", operation: .insert) { [notes, weak app] _ in
      notes.note("first")
      await app?.removeObserver(id: try #require(await ids.second))
    }
    await ids.set(
      try await app.registerObserver(entity: "Item", operation: .insert) { [notes] _ in
        notes.note("second")
      }
    )
    try other.write("x")
    try await app.pass()
    #expect(notes.all == ["first"])
  }

  @Test func `Observers are notified of unrecorded transactions again, of recorded ones never`()
    async throws
  {
    var app: HistoryTracker? = try await shared.started("app")
    try await app?.registerObserver(entity: "Item", operation: .insert) { [notes] in
      notes.note($0)
    }
    try other.write("a", "b")
    try await app?.pass()
    try await app?.pass()
    #expect(notes.all == ["insert Item x1 of #1", "insert Item x1 of #2"])
    await app?.stop()
    try other.write("c")
    app = nil
    // The next launch of the process.
    let again = try shared.tracker("app")
    try await again.registerObserver(entity: "Item", operation: .insert) { [notes] in
      notes.note($0, by: "again")
    }
    try await again.start()
    #expect(notes.all.dropFirst(2) == ["again: insert Item x1 of #3"])
  }

  @Test(arguments: [true, false])
  func `After a reset observers are notified from the start of history`(
    _ relaunches: Bool
  ) async throws {
    let app = try await shared.started("app") { $0.strategy = .none }
    try await app.registerObserver(entity: "Item", operation: .insert) { [notes] in notes.note($0) }
    try other.write("a", "b")
    try await app.pass()
    // An older backup was restored: the same numbers are assigned to other transactions.
    try shared.beginHistoryAgain()
    if relaunches {
      await app.stop()
    } else {
      await #expect(throws: HistoryError.self) { try await app.pass() }
      try await app.resync()
    }
    try shared.writer("other").write("c")
    if relaunches { try await app.start() } else { try await app.pass() }
    #expect(notes.all.dropFirst(2) == ["insert Item x1 of #1"])
  }

  @Test func `A transaction is notified in whole groups, whatever the page size`() async throws {
    let app = try await shared.started("app") { $0.pageTransactionCountMax = 1 }
    try await app.registerObserver(entity: "Item", operation: .insert) { [notes] in notes.note($0) }
    for count in [3, 1, 2] {
      for index in 0..<count { try other.insert("Item", ["count": .int(Int64(index))]) }
      try other.save()
    }
    let report = try await app.pass()
    #expect(report.pageCount == 3)
    #expect(
      notes.all == ["insert Item x3 of #1", "insert Item x1 of #2", "insert Item x2 of #3"]
    )
  }
}

/// The groups that observers received.
private actor Reported {
  var contexts: [HookContext] = []

  func add(_ group: [HookContext]) { contexts += group }
}

/// The identity of a hook, for use by another hook.
private actor IDs {
  var second: HookID?

  func set(_ id: HookID) { second = id }
}
