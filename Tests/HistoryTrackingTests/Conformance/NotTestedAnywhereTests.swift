import HistoryStore
import HistoryTypes
import ObjectContexts
import StoreFixtures
import Testing

@testable import HistoryTracking

/// Cases that no published test covers.
@Suite(.inEveryLayout) struct `Conformance: Not tested anywhere` {
  let shared: TrackedStore
  let other: ObjectContext
  let notes = Notes()

  init() throws {
    shared = try TrackedStore()
    other = try shared.writer("other")
  }

  @Test func `Purge safety with a slow member: it misses no transaction`() async throws {
    let slow = try await shared.started("slow")
    let quick = try await shared.started("quick")
    var written = 0
    for round in 1...5 {
      for _ in 0..<round {
        written += 1
        try other.write("\(written)")
      }
      try await quick.pass()
      try await quick.purge()
      try quick.store.purge()
      #expect(try shared.held() == Array(1...Int64(written)))
    }
    #expect(try await slow.pass().transactionCount == written)
    #expect(try slow.view.titles.count == written)
    #expect(try shared.held() == [Int64(written)])
  }

  @Test(arguments: [StoreConfiguration.Timestamps.monotone, .wallClock], [0.0, -3600])
  func `Equal and backward timestamps: no transaction is missed or purged too early`(
    _ timestamps: StoreConfiguration.Timestamps,
    _ step: Double
  ) async throws {
    let clock = WallClock()
    let shared = try TrackedStore()
    func open() throws -> Store {
      try shared.open {
        $0.timestamps = timestamps
        $0.clock = clock.read
      }
    }
    let writer = ObjectContext(store: try open(), author: "other")
    let app = try await shared.started("app", on: try open())
    let widget = try await shared.started("widget", on: try open())
    for number in 0..<6 {
      try writer.write("\(number)")
      if number % 2 == 0 { try await app.pass() }
      if number % 3 == 0 { try await widget.pass() }
      clock.advance(by: step)
    }
    for tracker in [app, widget] {
      try await tracker.pass()
      #expect(try tracker.view.titles == ["0", "1", "2", "3", "4", "5"])
    }
    #expect(try writer.store.heldNumbers() == [6])
  }

  @Test func `Two processes of one author are two members, and each merges the other's writes`()
    async throws
  {
    let first = try await shared.started("app 1") { $0.currentAuthor = "app" }
    let second = try await shared.started("app 2") { $0.currentAuthor = "app" }
    let (one, two) = (
      ObjectContext(store: first.store, author: "app"),
      ObjectContext(store: second.store, author: "app")
    )
    try one.write("from 1")
    try two.write("from 2")
    for tracker in [first, second] {
      try await tracker.pass()
      #expect(try tracker.view.titles == ["from 1", "from 2"])
    }
    #expect(try shared.open().members().map(\.author) == ["app", "app"])
  }

  @Test func `Two processes with one name: the second is refused while the first runs`()
    async throws
  {
    var first: HistoryTracker? = try await shared.started("app")
    let second = try shared.tracker("app")
    await #expect { try await second.start() } throws: { error in
      guard case .inUse("app", _) = (error as? HistoryError)?.reason else { return false }
      return true
    }
    await first?.stop()
    try await second.start()
    await second.stop()
    // A released tracker also frees its member.
    try await first?.start()
    first = nil
    try await second.start()
  }

  @Test func `Throwing hooks: the cursor stays, others' purges wait, and everything is reported`()
    async throws
  {
    let app = try await shared.started("app")
    let widget = try await shared.started("widget")
    let weather = Weather()
    try await app.registerObserver(entity: "Item", operation: .insert) { [notes] in
      try await weather.check()
      notes.note($0)
    }
    try other.write("a", "b")
    await #expect(throws: HistoryError.self) { try await app.pass() }
    #expect(try await widget.pass().purgedThrough == 0)
    await weather.clear()
    try await app.pass()
    #expect(notes.all == ["insert Item x1 of #1", "insert Item x1 of #2"])
    #expect(try await widget.pass().purgedThrough == 1)
  }

  @Test func `CloudKit's author: its transactions are kept and retain no member's history`()
    async throws
  {
    let mirror = try shared.writer("NSCloudKitMirroringDelegate.import")
    let app = try await shared.started("app")
    try mirror.write("from the cloud")
    try other.write("a")
    try mirror.write("from the cloud too")
    try other.write("b")
    #expect(try await app.pass().numbers == [1, 2, 3, 4])
    #expect(try shared.held() == [1, 3, 4])
  }

  @Test func `The kit's issue 7: history that a mirror needs is never purged`()
    async throws
  {
    let mirror = try HistoryConsumer("mirror", store: try shared.open())
    let app = try await shared.started("app") { $0.strategy = .byNotification(times: 1) }
    for number in 0..<5 {
      try app.view.write("mine \(number)")
      try other.write("theirs \(number)")
      try await app.pass()
    }
    var exported: [Int64] = []
    while let page = try await mirror.next() {
      exported += page.transactions.map(\.number.rawValue)
      try await mirror.confirm(page)
    }
    #expect(exported == Array(1...10))
    try await app.purge()
    #expect(try shared.held() == [10])
  }

  /// The points of a pass at which a process may crash.
  enum CrashPoint: CaseIterable {
    case beforeObservers
    case inObservers
    case inMergeHooks
    case inMerge
    case inDeduplication
  }

  @Test(arguments: CrashPoint.allCases)
  func `Crash points: the next launch repeats and misses no transaction`(
    _ point: CrashPoint
  ) async throws {
    let gate = Gate()
    let app = try await shared.started("app", on: try shared.open { $0.memberLocks = .none }) {
      if point == .inMerge { $0.merger = StuckMerger(gate: gate) }
      if point == .inDeduplication { $0.deduplicator = StuckDeduplicator(gate: gate) }
    }
    if point == .beforeObservers || point == .inObservers {
      try await app.registerObserver(entity: "Item", operation: .insert) { [notes] in
        if point == .inObservers { notes.note($0) }
        await gate.pass()
      }
    }
    if point == .inMergeHooks {
      try await app.registerMergeHook { _ in
        await gate.pass()
        return .proceed
      }
    }
    try other.write("a", "b")
    let dying = Task { try await app.pass() }
    await gate.arrived()
    // The process counts as crashed here: its later calls are refused.
    #expect(try shared.cursor("app") == 0)
    let again = try shared.tracker("app", on: try shared.open { $0.memberLocks = .none })
    try await again.registerObserver(entity: "Item", operation: .insert) { [notes] in
      notes.note($0, by: "again")
    }
    try await again.start()
    #expect(
      notes.all.suffix(2) == ["again: insert Item x1 of #1", "again: insert Item x1 of #2"]
    )
    #expect(try again.view.titles == ["a", "b"] && shared.cursor("app") == 2)
    await gate.open()
    await #expect(throws: HistoryError.superseded("app")) { try await dying.value }
    #expect(try shared.cursor("app") == 2)
  }

  @Test func `Watermark loss: a member without its row gets an error and is new when it returns`()
    async throws
  {
    let app = try await shared.started("app")
    try other.write("a")
    try await app.pass()
    await app.stop()
    #expect(try shared.open().forget("app"))
    try other.write("b", "c")
    try app.store.purge()
    let again = try shared.tracker("app")
    #expect(try await again.start().numbers.isEmpty)
    #expect(try again.view.titles == ["a", "b", "c"])
    #expect(try shared.cursor("app") == 3)
  }

  @Test func `Restart catch-up: a lost notification loses no transaction`() async throws {
    let signals = Signals()
    let app = try await shared.started("app") { $0.signals = signals.source }
    await app.stop()
    try other.write("a", "b")
    #expect(try await app.start().numbers == [1, 2])
    #expect(try app.view.titles == ["a", "b"])
    // The next signal makes up for a lost one.
    try other.write("c")
    var reports = await app.passes.makeAsyncIterator()
    try other.write("d")
    signals.send()
    #expect(await reports.next()?.numbers == [3, 4])
  }
}

private struct StuckMerger: TransactionMerger {
  let gate: Gate

  func merge(
    _ transactions: [HistoryTransaction],
    into contexts: [ObjectContext]
  ) async throws {
    await gate.pass()
  }
}

private struct StuckDeduplicator: TransactionDeduplicator {
  let gate: Gate

  func deduplicate(
    _ transactions: [HistoryTransaction],
    in contexts: [ObjectContext]
  ) async throws {
    await gate.pass()
  }
}
