import HistoryStore
import HistoryTypes
import ObjectContexts
import SQLiteStorage
import Testing

@testable import HistoryTracking

@Suite struct `Reports of a tracker` {
  let shared: TrackedStore
  let other: ObjectContext

  init() throws {
    shared = try TrackedStore()
    other = try shared.writer("other")
  }

  @Test func `A report measures each step`() async throws {
    let clock = TickingClock()
    let app = try await shared.started("app") { $0.clock = clock.trackerClock }
    try await app.registerMergeHook { _ in .proceed }
    try other.write("a", "b")
    let report = try await app.pass()
    #expect(report.transactionCount == 2 && report.changeCount == 2 && report.pageCount == 1)
    let durations = report.durations
    // The clock advances by a second at each read, and each step ends with one read.
    #expect(durations.fetch == .seconds(1) && durations.hooks == .seconds(1))
    #expect(durations.merge == .seconds(1) && durations.purge == .seconds(1))
    // The purge has recorded the cursor.
    #expect(durations.record == .zero)
    #expect(report.purgedCount == 1 && report.purgedThrough == 1)
  }

  @Test func `Every listener is notified until the tracker is gone`() async throws {
    var app: HistoryTracker? = try await shared.started("app")
    var listeners: [AsyncStream<PassReport>.Iterator] = []
    for _ in 0..<2 {
      let passes = try #require(await app?.passes)
      listeners.append(passes.makeAsyncIterator())
    }
    try other.write("a")
    try await app?.pass()
    app = nil
    for var listener in listeners {
      #expect(await listener.next()?.numbers == [1])
      #expect(await listener.next() == nil)
    }
  }

  @Test func `An unlisted author is merged and reported once`() async throws {
    let app = try await shared.started("app") {
      $0.allAuthors = ["app", "widget"]
      $0.batchAuthors = ["import"]
    }
    for author in ["widget", "import", "stranger", nil] { try shared.writer(author).write("x") }
    #expect(try await app.pass().undeclaredAuthors == ["stranger"])
    try shared.writer("NSCloudKitMirroringDelegate.import").write("from the cloud")
    try shared.writer("stranger").write("y")
    #expect(try await app.pass().undeclaredAuthors == ["stranger"])
    #expect(app.messages.count { $0.contains("\"stranger\"") } == 1)
    #expect(try app.view.titles.count == 6)
  }

  @Test func `Differently configured members are reported at the start`() async throws {
    _ = try await shared.started("widget") { $0.allAuthors = ["app", "widget"] }
    let app = try await shared.started("app") { $0.allAuthors = ["app"] }
    #expect(app.messages.contains { $0.contains("differ in the authors") })
    let members = try shared.open().members()
    #expect(members.map(\.configuration.authors) == [["app"], ["app", "widget"]])
    #expect(members.allSatisfy { $0.configuration.strategy == "whenMerged" })
    #expect(members.map(\.author) == ["app", "widget"])
  }

  @Test func `An actor whose author is its own batch author is reported`() async throws {
    let app = try await shared.started("app") { $0.batchAuthors = ["app"] }
    #expect(app.messages.contains { $0.contains("is in batchAuthors") })
  }

  @Test func `The ignored authors may be any sequence`() async throws {
    let app = try await shared.started("app") { $0.ignoring = ["noise.*", "exact"] }
    for author in ["noise.1", "noise.", "exact", "exactly", "noise"] {
      try shared.writer(author).write(author)
    }
    #expect(try await app.pass().numbers == [4, 5])
    #expect(try app.view.titles == ["exactly", "noise"])
  }

  @Test func `The history's share of the store decides whether whenLargerThan purges`() async throws
  {
    let small = try await shared.started("small") { $0.strategy = .whenLargerThan(share: 0) }
    try other.write("a", "b")
    #expect(try await small.pass().purgedThrough == 1)
    await small.stop()
    #expect(try shared.open().forget("small"))
    let large = try await shared.started("large") { $0.strategy = .whenLargerThan(share: 1) }
    try other.write("c", "d")
    let report = try await large.pass()
    #expect(report.purgedThrough == nil && report.cursor?.number == 4)
    #expect(try shared.cursor("large") == 4)
  }

  @Test func `The kit's cursor is imported at the first launch`() async throws {
    let clock = WallClock(100)
    let store = try shared.open { $0.clock = clock.read }
    let writer = ObjectContext(store: store, author: "other")
    for title in ["a", "b", "c"] {
      try writer.write(title)
      clock.advance(by: 10)
    }
    let dates = [
      "PersistentHistoryTrackingKit.lastToken.app": Date(timeIntervalSinceReferenceDate: 115)
    ]
    let app = try await shared.started("app", on: store) { $0.kitCursors = KitCursors(dates) }
    #expect(app.messages.contains { $0.contains("was imported") })
    #expect(try shared.cursor("app") == 3)
    await app.stop()
  }

  @Test func `A tracker that starts automatically is started`() async throws {
    let signals = Signals()
    try other.write("a")
    let app = try shared.tracker("app") {
      $0.autoStart = true
      $0.signals = signals.source
    }
    var reports = await app.passes.makeAsyncIterator()
    await eventually("it starts") { await app.isStarted }
    try other.write("b")
    signals.send()
    while let report = await reports.next(), report.numbers != [2] {}
    #expect(try app.view.titles == ["a", "b"])
  }

  @Test func `Automatic starting retries when the store is busy`() async throws {
    let paused = Gate()
    let store = try shared.open { $0.busyTimeout = .zero }
    try other.write("a")
    let blocker = try Connection(path: shared.path)
    try blocker.execute("BEGIN IMMEDIATE")
    let app = try shared.tracker("app", on: store) {
      $0.autoStart = true
      $0.clock.sleep = { _ in await paused.pass() }
    }
    await paused.arrived()
    #expect(await app.failure?.isBusy == true)
    try blocker.execute("ROLLBACK")
    await paused.open()
    await eventually("it starts") { await app.isStarted }
    #expect(try app.view.titles == ["a"])
    #expect(await app.failure == nil)
  }

  @Test func `An error of automatic starting is kept`() async throws {
    let running = try await shared.started("app")
    let app = try shared.tracker("app") { $0.autoStart = true }
    await eventually("it fails") { await app.failure != nil }
    let message = try #require(app.messages.last)
    #expect(message.contains("did not start"))
    await running.stop()
  }
}

/// A clock that advances by a second at each read.
private final class TickingClock: @unchecked Sendable {
  private let clock = HandClock()

  var trackerClock: TrackerClock {
    TrackerClock(
      now: {
        self.clock.advance(by: .seconds(1))
        return self.clock.trackerClock.now()
      },
      sleep: { _ in }
    )
  }
}
