import HistoryStore
import HistoryTypes
import ObjectContexts
import Testing

@testable import HistoryTracking

/// The claims of the tests of the kit's first version, checked on our tracker.
@Suite struct `Conformance: V1` {
  let shared: TrackedStore
  let other: ObjectContext
  let notes = Notes()

  init() throws {
    shared = try TrackedStore()
    other = try shared.writer("other")
  }

  /// Ten rows in one transaction.
  private func batch(_ author: String = "import") throws {
    let rows: [[String: Value]] = (0..<10).map { ["title": .string("\($0)")] }
    _ = try shared.open().batchInsert(into: "Item", rows, by: BatchAuthor(author))
  }

  // MARK: CleanStrategy

  @Test(arguments: [(1, [1, 2, 3, 4, 5, 6, 7]), (3, [3, 6]), (0, [1, 2, 3, 4, 5, 6, 7])])
  func `byNotification: a purge runs after every Nth pass`(
    _ times: Int,
    _ purging: [Int]
  ) async throws {
    let app = try await shared.started("app") { $0.strategy = .byNotification(times: times) }
    var purged: [Int] = []
    for number in 1...7 {
      try other.write("\(number)")
      if try await app.pass().purgedThrough != nil { purged.append(number) }
    }
    #expect(purged == purging)
  }

  // MARK: Cleaner

  @Test func `CleanerInAppGroup: a purge removes the foreign transaction`()
    async throws
  {
    let app = try await shared.started("app") { $0.strategy = .none }
    try other.write("a")
    #expect(try await app.pass().numbers == [1])
    try other.write("b")
    try await app.pass()
    #expect(try await app.purge().transactionCount == 1)
    #expect(throws: HistoryError.self) { try shared.open().fetch(beginning()) }
  }

  /// A request for everything since the start, which expires by a purge.
  private func beginning() throws -> HistoryRequest {
    HistoryRequest(after: .beginning(of: other.store.id))
  }

  @Test func `CleanerInBatchOperation: a batch is one transaction and is purged as one`()
    async throws
  {
    let app = try await shared.started("app") { $0.strategy = .none }
    try batch()
    try other.write("x")
    try await app.pass()
    #expect(try await app.purge().transactionCount == 1)
    #expect(try shared.held() == [2])
  }

  // MARK: Fetcher

  @Test func `FetcherInAppGroup: a fetch returns only other members' transactions`() async throws {
    let app = try await shared.started("app")
    try app.view.write("mine")
    try other.write("theirs")
    #expect(try await app.pass().numbers == [2])
  }

  @Test func `FetcherInBatchOperation: a fetch returns one transaction with all its changes`()
    async throws
  {
    let app = try await shared.started("app")
    try batch("app")
    let report = try await app.pass()
    #expect(report.transactionCount == 1 && report.changeCount == 10)
  }

  @Test(arguments: [true, false])
  func `FetcherAuthorsIncludingCloudKit: the mirror's imports are merged on request`(
    _ isIncluded: Bool
  ) async throws {
    let app = try await shared.started("app") { $0.includingCloudKitMirroring = isIncluded }
    for kind in ["import", "export", "reset"] {
      try shared.writer("NSCloudKitMirroringDelegate.\(kind)").write(kind)
    }
    try other.write("x")
    #expect(try await app.pass().numbers == (isIncluded ? [1, 2, 3, 4] : [4]))
    #expect(try shared.cursor("app") == 4)
  }

  // MARK: Logger

  @Test func `Logger: the level filters messages, and a custom logger receives all of them`()
    async throws
  {
    for level in [nil, TrackerLogLevel.debug, .info, .error] {
      let logger = RecordingLogger()
      let app = try shared.tracker(MemberID("app \(level?.rawValue ?? "silent")")) {
        $0.logger = logger
        $0.logLevel = level
      }
      try await app.start()
      try other.write("x")
      try await app.pass()
      try await app.registerMergeHook { _ in throw Rain() }
      try other.write("y")
      await #expect(throws: HistoryError.self) { try await app.pass() }
      await app.stop()
      let isVerbose = level == .debug || level == .info
      #expect(logger.notes(at: .info).count == (isVerbose ? 2 : 0))
      #expect(logger.notes(at: .error).count == (level == nil ? 0 : 1))
      #expect(logger.notes(at: .critical).count == (level == nil ? 0 : 1))
      #expect(logger.notes(at: .debug).count == (level == .debug ? 1 : 0))
      #expect(logger.members.allSatisfy { $0 == app.member.name })
    }
  }

  // MARK: Merger

  @Test func `MergerInAppGroup: an object is registered in two contexts`() async throws {
    let app = try await shared.started("app", contexts: 2)
    let id = try other.write("a")[0]
    for context in app.contexts { #expect(try context.registeredObjects("Item").isEmpty) }
    try await app.pass()
    for context in app.contexts { #expect(try context.registeredObjects("Item").map(\.id) == [id]) }
  }

  @Test func `MergerInBatchOperation: every row is registered`() async throws {
    let app = try await shared.started("app")
    try batch()
    try await app.pass()
    #expect(try app.view.registeredObjects("Item").count == 10)
  }

  @Test func `Merger: a custom merger replaces the default`() async throws {
    let merger = PickyMerger(author: "other")
    let app = try await shared.started("app") { $0.merger = merger }
    try other.write("a")
    try shared.writer("noise").write("b")
    let report = try await app.pass()
    #expect(report.transactionCount == 2 && report.cursor?.number == 2)
    #expect(try app.view.titles == ["a"])
  }

  // MARK: The whole kit

  @Test func `KitInBatchInsert: two contexts see the rows`() async throws {
    let app = try await shared.started("app", contexts: 2)
    try batch()
    try await app.pass()
    for context in app.contexts { #expect(try context.titles.count == 10) }
  }

  @Test func `KitTwoAppWithKit: both apps merge, then history is purged`() async throws {
    let apps = [try await shared.started("one"), try await shared.started("two")]
    try other.write("a", "b", "c")
    try await apps[0].pass()
    #expect(try shared.held() == [1, 2, 3])
    try await apps[1].pass()
    #expect(try shared.held() == [3])
    for app in apps { #expect(try app.view.titles == ["a", "b", "c"]) }
  }

  // MARK: Timestamps

  @Test func `TimestampNoAuthor: a new member counts from its registration`() async throws {
    try other.write("a", "b")
    let app = try await shared.started("app") { $0.strategy = .none }
    #expect(try await app.purge().watermark == 2)
  }

  @Test func `TimestampAll: the watermark is the lowest cursor`() async throws {
    var apps: [HistoryTracker] = []
    for name in ["one", "two", "three"] {
      apps.append(try await shared.started(MemberID(name)) { $0.strategy = .none })
    }
    for app in apps {
      try other.write("\(app.member)")
      try await app.pass()
    }
    #expect(try await apps[2].purge().watermark == 1)
  }

  @Test func `TimestampPartNotYetThreshold: an unmerged member counts, whatever the others have`()
    async throws
  {
    let app = try await shared.started("app")
    _ = try await shared.started("idle")
    try other.write("a", "b")
    let report = try await app.pass()
    #expect(report.purgedThrough == 0)
    #expect(try shared.held() == [1, 2])
  }

  @Test func `TimestampPartTouchedThreshold: a member beyond the limits is lost and notified`()
    async throws
  {
    let limits = RetentionLimits(transactionCount: 2)
    let app = try await shared.started("app") { $0.retention = limits }
    let idle = try await shared.started("idle")
    try other.write("a", "b", "c", "d")
    let report = try await app.pass()
    #expect(report.lostMembers == ["idle"] && report.purgedThrough == 3)
    #expect(app.messages.contains { $0.contains("idle was cut off") })
    await #expect(throws: HistoryError.lost("idle")) { try await idle.pass() }
    #expect(try idle.view.titles.isEmpty)
    #expect(try await idle.resync().number == 4)
    #expect(try idle.view.titles == ["a", "b", "c", "d"])
    try other.write("e")
    #expect(try await idle.pass().numbers == [5])
  }

  @Test func `TimestampBatchAuthors: batch authors need no cursor`() async throws {
    let app = try await shared.started("app") { $0.batchAuthors = ["import"] }
    try batch()
    try other.write("x")
    #expect(try await app.pass().purgedThrough == 1)
  }
}

/// Merges the transactions of one author only.
private struct PickyMerger: TransactionMerger {
  let author: String

  func merge(
    _ transactions: [HistoryTransaction],
    into contexts: [ObjectContext]
  ) async throws {
    let wanted = transactions.filter { $0.author == author }
    try DefaultMerger().merge(wanted, into: contexts)
  }
}
