import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts
import Synchronization

/// Scripted checks of passes with strategies and limits, failing hooks, deduplication and consumers.
struct PassScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  private let seed: ScriptRandom
  private let log = MessageLog()

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let tag = Entity("Tag", [Attribute("name", .string), Attribute("rank", .int)])
    let model = try model([tag])
    var configuration = configuration()
    configuration.memberLocks = .none
    let path = folder.file("passes")
    let writer = try Store(path: path, model: model, configuration: configuration)
    let reader = try Store(path: path, configuration: configuration)
    try pass(reader, writer)
    try loseMember(reader, writer, path)
    try repeatHooks(reader, writer)
    try deduplicate(reader, writer)
    try consume(reader, writer)
    try queue(reader, writer)
  }

  private static let authors: [String?] = ["app", "own", "batch", "stranger", "guest", nil]

  /// Saves an object, and returns the number of its transaction.
  @discardableResult
  private func write(
    _ author: String?,
    _ name: String = "x",
    into store: Store
  ) throws(HistoryError) -> Int64 {
    let context = ObjectContext.retaining(store, author: author, name: "view")
    _ = try context.insert("Tag", ["name": .string(name)])
    return try context.save()?.number.rawValue ?? 0
  }

  private func configuration(
    _ strategy: PurgeStrategy
  ) -> TrackerConfiguration {
    var configuration = TrackerConfiguration(
      currentAuthor: "own",
      allAuthors: ["app"],
      batchAuthors: ["batch"],
      strategy: strategy
    )
    configuration.logger = log
    configuration.logLevel = .debug
    configuration.clock = TrackerClock(now: { .zero }, sleep: { _ in })
    return configuration
  }

  /// Returns the keys and names of the objects that a context contains.
  private func names(_ context: ObjectContext) throws(HistoryError) -> [String] {
    try names(of: context.registeredObjects("Tag"))
  }

  private func names(_ store: Store) throws(HistoryError) -> [String] {
    let context = ObjectContext(store: store, author: nil, name: "query")
    return try names(of: context.objects("Tag"))
  }

  private func names(of objects: [StoredObject]) throws(HistoryError) -> [String] {
    try objects.map { (object) throws(HistoryError) in
      "\(object.id.key) \(try object["name"] ?? .null)"
    }
  }

  // MARK: Passes

  /// Runs a tracker's passes, which merge new history and purge as one random strategy demands.
  ///
  /// Between passes, a new tracker at times continues from a copy of the tracker's in-memory state.
  private mutating func pass(_ reader: Store, _ writer: Store) throws(HistoryError) {
    let times = 1 + seed.draw(3)
    let strategy = seed.pick([PurgeStrategy.byNotification(times: times), .whenMerged, .none])
    let context = ObjectContext.retaining(reader, author: "own", name: "view")
    let configuration = configuration(strategy)
    var core = TrackerCore(
      "main",
      store: reader,
      contexts: [context],
      configuration: configuration
    )
    try core.launched()
    var other = configuration
    other.strategy = .byDuration(.seconds(1))
    let second = TrackerCore("second", store: writer, contexts: [], configuration: other)
    try second.launched()
    // The second member has a different strategy, so its launch must log the difference.
    expect(
      log.count(of: "second", "byDuration") > 0,
      "a tracker does not log that the members' strategies differ"
    )
    try second.retire()
    var (news, undeclared) = (0, Set<String>())
    for _ in 0..<8 {
      let numbers = try (0..<seed.draw(4)).map { _ throws(HistoryError) in
        try write(seed.pick(Self.authors), into: writer)
      }
      if seed.draw(3) == 0 {
        let snapshot = core.snapshot
        core.stop()
        core = TrackerCore(
          "main",
          store: reader,
          contexts: [context],
          configuration: configuration
        )
        try core.resume(snapshot)
      }
      let held = try writer.heldNumbers()
      let authors = try numbers.map { number throws(HistoryError) in
        try writer.transaction(TransactionNumber(number))?.author
      }
      let strangers = Set(authors.compactMap(\.self)).subtracting(["app", "own", "batch"])
      let report = core.pass()
      if !numbers.isEmpty { news += 1 }
      undeclared.formUnion(strangers)
      let purges =
        switch strategy {
        case .whenMerged: true
        case .byNotification: !numbers.isEmpty && news.isMultiple(of: times)
        default: false
        }
      let left = purges ? Array(held.suffix(1)) : held
      expect(
        try writer.heldNumbers() == left,
        "a pass with \(strategy) does not leave the transactions \(left)"
      )
      expect(
        report.purgedCount == held.count - left.count && report.failure == nil,
        "a pass with \(strategy) over \(held.count) transactions reports \(report)"
      )
      expect(report.numbers == numbers, "a pass merges \(report.numbers), not \(numbers)")
      expect(
        report.undeclaredAuthors == strangers,
        "a pass reports the undeclared authors \(report.undeclaredAuthors), not \(strangers)"
      )
      expect(
        try names(context) == names(writer),
        "after a pass, the context's objects differ from those of the writer"
      )
    }
    for author in ["app", "own", "batch", "stranger", "guest"] {
      let count = log.count(of: "main", "\"\(author)\" writes")
      expect(
        count == (undeclared.contains(author) ? 1 : 0),
        "the undeclared author \(author) is logged \(count) times"
      )
    }
    try core.retire()
  }

  /// Cuts off a member by a retention limit; the member must then read its data again.
  private mutating func loseMember(
    _ reader: Store,
    _ writer: Store,
    _ path: String
  ) throws(HistoryError) {
    let context = ObjectContext.retaining(reader, author: "own", name: "view")
    let configuration = configuration(.none)
    let (slow, late) = (
      TrackerCore("slow", store: reader, contexts: [context], configuration: configuration),
      TrackerCore("slow", store: reader, contexts: [], configuration: configuration)
    )
    try slow.launched()
    var limited = self.configuration(.whenMerged)
    limited.retention = RetentionLimits(transactionCount: 1)
    let fast = TrackerCore("fast", store: writer, contexts: [], configuration: limited)
    try fast.launched()
    for name in ["a", "b", "c"] { try write("app", name, into: writer) }
    let report = fast.pass()
    expect(report.lostMembers == ["slow"], "a pass cuts off \(report.lostMembers), not only slow")
    expect(
      log.count(of: "fast", "slow was cut off") == 1,
      "the cut-off of a member is not logged exactly once"
    )
    try fast.retire()
    // A member that was cut off must resync before it can launch or make a pass.
    for core in [slow, late] {
      let code = core.pass().failure?.code
      expect(
        code == .lost && core.failure?.code == .lost,
        "a pass of a member that was cut off fails with \(code as Any)"
      )
    }
    expect(.lost, of: "to launch a member that was cut off") { () throws(HistoryError) in
      try late.launched()
    }
    do {
      // Without this table, reading the data fails until the table has its name again.
      let raw = try RawFile(path)
      try raw.run("ALTER TABLE Tag RENAME TO Gone")
      expect(.sqlite, of: "a resync without the table of an entity") { () throws(HistoryError) in
        _ = try slow.resync()
      }
      try raw.run("ALTER TABLE Gone RENAME TO Tag")
    }
    let number = try write("app", "d", into: writer)
    let next = slow.pass()
    expect(
      next.failure == nil,
      "a pass after a resync fails: \(next.failure.map { "\($0)" } ?? "")"
    )
    expect(next.numbers.allSatisfy { $0 == number }, "a pass after a resync merges \(next.numbers)")
    expect(
      try names(context) == names(writer),
      "after a resync, the context's objects differ from those of the writer"
    )
    slow.failure = .lost("slow")
    expect(
      try slow.resync() == writer.currentToken(),
      "a resync does not end at the newest transaction"
    )
    expect(slow.failure == nil, "a tracker still has a failure after a resync")
    try slow.retire()
  }

  // MARK: Hooks and duplicates

  /// Makes one of three observers fail once, for the first of two transactions.
  ///
  /// For this transaction, the next pass must call only the failed and the later observers.
  private mutating func repeatHooks(_ reader: Store, _ writer: Store) throws(HistoryError) {
    let context = ObjectContext.retaining(reader, author: "own", name: "view")
    let core = TrackerCore(
      "hooks",
      store: reader,
      contexts: [context],
      configuration: configuration(.none)
    )
    try core.launched()
    let hooks = try (0..<3).map { _ throws(HistoryError) in
      try core.addObserver(entity: "Tag", operation: .insert, onFailure: .retry)
    }
    for name in ["a", "b"] { try write("app", name, into: writer) }
    let failing = seed.draw(3)
    var calls: [Int] = []
    func answer(_ call: PassRun.Call) -> PassRun.Answer {
      guard case .observer(let id, _) = call, let place = hooks.firstIndex(of: id) else {
        return .done
      }
      calls.append(place)
      return place == failing && calls.count == failing + 1 ? .failed(Refusal()) : .done
    }
    let first = core.pass(answering: answer)
    expect(first.failure?.code == .hookFailed, "a pass with a failed hook reports \(first)")
    let second = core.pass(answering: answer)
    expect(
      second.failure == nil && second.transactionCount == 2,
      "the pass after a failed hook reports \(second)"
    )
    // The observers before the failed one are not called again with the first transaction.
    let wanted = Array(0...failing) + Array(failing..<3) + Array(0..<3)
    expect(calls == wanted, "hooks are called in the order \(calls), not \(wanted)")
    try core.retire()
  }

  private struct Refusal: Error {}

  /// Removes duplicates with a deduplicator, and checks the transactions that it writes.
  private mutating func deduplicate(_ reader: Store, _ writer: Store) throws(HistoryError) {
    let start = try writer.currentToken()
    var keys: [String: [Int64]] = [:]
    for _ in 0..<(3 + seed.draw(5)) {
      let name = seed.pick(["p", "q", "r"])
      try write("app", name, into: writer)
      guard let change = try writer.fetch(HistoryRequest(after: start)).changes.last else {
        continue
      }
      keys[name, default: []].append(change.objectID.key)
    }
    let page = try reader.fetch(HistoryRequest(after: start))
    let deduplicator = ObjectDeduplicator(store: reader, entity: "Tag", by: ["name"])
    try deduplicator.deduplicate(Array(page.transactions), in: [])
    let groups = keys.values.filter { $0.count > 1 }.map { $0.sorted() }
    let written = try writer.fetch(HistoryRequest(after: page.scannedThrough)).transactions
    let changes = written.map { $0.changes.map { "\($0.type) \($0.objectID.key)" }.sorted() }
    let wanted = groups.map { group in
      (["\(ChangeType.update) \(group[0])"] + group.dropFirst().map { "\(ChangeType.delete) \($0)" })
        .sorted()
    }
    expect(
      Set(changes) == Set(wanted),
      "a deduplicator makes the changes \(changes), not \(wanted)"
    )
  }

  // MARK: Tasks

  /// Makes a consumer receive transactions without confirming them, and then resync.
  private mutating func consume(_ reader: Store, _ writer: Store) throws(HistoryError) {
    let consumer = try HistoryConsumer("index", store: reader, pageTransactionCountMax: 1)
    for name in ["a", "b"] { try write("app", name, into: writer) }
    let found = try InlineExecutor().wait {
      await result { () async throws(HistoryError) in
        var found = [try await consumer.next()?.transactions.first?.number.rawValue ?? 0]
        await consumer.startOver()
        found.append(try await consumer.next()?.transactions.first?.number.rawValue ?? 0)
        let position = try await consumer.resync()
        found.append(position.number)
        found.append(try await consumer.next()?.transactions.first?.number.rawValue ?? 0)
        try await consumer.retire()
        return found
      }
    }
    let head = try writer.currentToken().number
    expect(
      found == [head - 1, head - 1, head, 0],
      "with the newest transaction #\(head), a consumer receives \(found)"
    )
  }

  /// Requests several passes while a hook waits; the passes must run one after the other.
  private mutating func queue(_ reader: Store, _ writer: Store) throws(HistoryError) {
    let executor = InlineExecutor()
    var configuration = configuration(.none)
    configuration.executor = executor
    let context = ObjectContext.retaining(reader, author: "own", name: "view")
    let tracker = HistoryTracker(
      "queue",
      store: reader,
      contexts: [context],
      configuration: configuration
    )
    let turns = Turns()
    let reports = try executor.wait {
      await result { () async throws(HistoryError) in
        _ = try await tracker.launch()
        try await tracker.registerMergeHook { input in
          turns.begin(input.transactions.map(\.number.rawValue))
          for _ in 0..<5 { await Task.yield() }
          turns.end()
          return .proceed
        }
        return 0
      }
    }
    let numbers = try ["a", "b"].map { name throws(HistoryError) in
      try write("app", name, into: writer)
    }
    try executor.wait {
      await result { () async throws(HistoryError) in
        async let first = try? await tracker.pass()
        async let second = try? await tracker.pass()
        async let third = try? await tracker.pass()
        _ = await (first, second, third)
        await tracker.stop()
        try await tracker.retire()
      }
    }
    expect(reports == 0 && turns.countMax == 1, "\(turns.countMax) passes run at once")
    expect(turns.numbers == numbers, "passes merge \(turns.numbers), not \(numbers)")
  }
}

/// The messages that trackers log, each with the tracker's member.
final class MessageLog: TrackerLogger {
  private let messages = Mutex<[(member: String, text: String)]>([])

  func log(level: TrackerLogLevel, message: String, metadata: [String: String]) {
    messages.withLock { $0.append((metadata["member"] ?? "", message)) }
  }

  func count(of member: String, _ text: String) -> Int {
    messages.withLock { $0.count { $0.member == member && $0.text.contains(text) } }
  }
}

/// Counts the passes that call a hook at the same time, and lists the numbers of their transactions.
private final class Turns: Sendable {
  private struct State {
    var (count, countMax) = (0, 0)
    var numbers: [Int64] = []
  }

  private let state = Mutex(State())

  var countMax: Int { state.withLock { $0.countMax } }
  var numbers: [Int64] { state.withLock { $0.numbers } }

  func begin(_ numbers: [Int64]) {
    state.withLock {
      $0.count += 1
      $0.countMax = max($0.countMax, $0.count)
      $0.numbers += numbers
    }
  }

  func end() { state.withLock { $0.count -= 1 } }
}
