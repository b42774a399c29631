import HistoryStore
import HistoryTracking
import HistoryTypes
import ObjectContexts
import Synchronization

/// Scripted checks of trackers with failing hooks, with a merger and with a deduplicator.
struct TrackerScript: DiskScript {
  let store: Store
  let faults = FailedExpectations()
  let layout: HistoryLayout
  let seed: ScriptRandom
  let executor = InlineExecutor()
  let log = MessageLog()
  let plan = HookPlan()

  init(store: Store, seed: Int) {
    self.store = store
    self.seed = ScriptRandom(seed)
    layout = self.seed.layout
  }

  mutating func run(_ folder: borrowing ScratchFolder) throws(HistoryError) {
    let attributes = [
      Attribute("name", .string, preservesValueInHistoryOnDeletion: true),
      Attribute("count", .int),
    ]
    let model = try model([Entity("Item", attributes)])
    let path = folder.file("tracked")
    let writer = try Store(path: path, model: model, configuration: configuration())
    let reader = try Store(path: path, configuration: configuration())
    let reports = try failHooks(reader, writer)
    executor.runAll()
    expect(reports.isFinished, "the reports of a released tracker do not end")
    try ignoreAuthors(reader, writer)
    // A run has time for two of these.
    let parts = [
      stopByHook, replaceMerge, refuse, deliver, handOver, purge, suspend, wait, purgeByStrategy,
    ]
    let first = seed.draw(parts.count)
    for place in [first, first + 1 + seed.draw(parts.count - 1)] {
      try parts[place % parts.count](reader, writer)
    }
    try mergeMany(writer)
  }

  /// Returns a configuration whose clock moves only while a hook, merger or deduplicator runs.
  func settings(_ change: (inout TrackerConfiguration) -> Void = { _ in }) -> TrackerConfiguration {
    var configuration = TrackerConfiguration(currentAuthor: "own", strategy: .none)
    configuration.logger = log
    configuration.logLevel = .trace
    configuration.executor = executor
    configuration.clock = TrackerClock(now: { [plan] in plan.now }, sleep: { _ in })
    let (signals, continuation) = AsyncStream.makeStream(of: HistoryToken.self)
    continuation.finish()
    configuration.signals = { _ in signals }
    change(&configuration)
    return configuration
  }

  /// Runs an asynchronous request of a tracker until it completes.
  @discardableResult
  func ask<Answer: Sendable>(
    _ body: @escaping @Sendable () async throws(HistoryError) -> Answer
  ) throws(HistoryError) -> Answer {
    try executor.wait { await result(body) }
  }

  /// Saves an item, and returns the number of its transaction.
  @discardableResult
  func write(
    _ author: String?,
    _ name: String = "x",
    into store: Store
  ) throws(HistoryError) -> Int64 {
    let context = ObjectContext(store: store, author: author, name: "view")
    _ = try context.insert("Item", ["name": .string(name)])
    return try context.save()?.number.rawValue ?? 0
  }

  /// Returns the keys and names of the items in a store.
  func names(_ store: Store) throws(HistoryError) -> [String] {
    try names(ObjectContext(store: store, author: nil, name: "query").objects("Item"))
  }

  func names(_ objects: [StoredObject]) throws(HistoryError) -> [String] {
    try objects.map { object throws(HistoryError) in
      "\(object.id.key) \(try object["name"] ?? .null)"
    }
  }

  // MARK: Hooks

  /// Makes hooks fail a random number of times, and compares each pass with the expected one.
  private func failHooks(_ reader: Store, _ writer: Store) throws(HistoryError) -> ReportList {
    let tracker = HistoryTracker(
      "hooks",
      store: reader,
      contexts: [ObjectContext.retaining(reader, author: "own", name: "view")],
      configuration: settings()
    )
    let ids = try registerHooks(tracker)
    let reports = ReportList()
    let passes = try ask { () async throws(HistoryError) in await tracker.passes }
    Task(executorPreference: executor) {
      for await report in passes { reports.append(report) }
      reports.finish()
    }
    var expected = ExpectedHooks(ids)
    for round in 0..<2 {
      let number = try write("app", into: writer)
      expected.left = (0..<4).map { _ in seed.draw(3) }
      if round == 0 { expected.left[0] = 2 + seed.draw(2) }
      plan.left = Dictionary(uniqueKeysWithValues: zip(ExpectedHooks.names, expected.left))
      expected.begin(number)
      repeat {
        let wanted = expected.pass()
        ask(tracker)
        try compare(reports.removeLast(), plan.takeCalls(), wanted, number, expected.isDone)
      } while !expected.isDone
    }
    try ask { () async throws(HistoryError) in try await tracker.retire() }
    let count = log.count(of: "hooks", "threw while handling")
    expect(
      count == expected.failureCount,
      "\(expected.failureCount) failures of hooks are logged \(count) times"
    )
    return reports
  }

  /// Launches a tracker, and registers two observers and two merge hooks in calling order.
  private func registerHooks(_ tracker: HistoryTracker) throws(HistoryError) -> [HookID] {
    let plan = plan
    return try ask { () async throws(HistoryError) in
      _ = try await tracker.launch()
      let first = try await tracker.registerObserver(entity: "Item", operation: .insert) { _ in
        try plan.call("first")
      }
      let second = try await tracker.registerObserver(
        entity: "Item",
        operation: .insert,
        onFailure: .skip
      ) { _ in try plan.call("second") }
      let last = try await tracker.registerMergeHook { _ in
        try plan.call("last")
        return .proceed
      }
      let third = try await tracker.registerMergeHook(before: last, onFailure: .skip) { _ in
        try plan.call("third")
        return .proceed
      }
      return [first, second, third, last]
    }
  }

  /// Runs a pass, and ignores its error, which the report of the pass also contains.
  private func ask(_ tracker: HistoryTracker) {
    _ = executor.run { try? await tracker.pass() }
  }

  /// Compares a pass with the expected calls and failures of hooks.
  private func compare(
    _ report: PassReport?,
    _ calls: [String],
    _ wanted: (calls: [String], failures: [String]),
    _ number: Int64,
    _ isDone: Bool
  ) throws(HistoryError) {
    guard let report else { return faults.append("a tracker's reports lack a pass") }
    expect(calls == wanted.calls, "the called hooks are \(calls), not \(wanted.calls)")
    let failures = report.hookFailures.map { failure in
      "\(failure.hook) \(failure.name) \(failure.policy) \(failure.transaction) \(failure.reason) "
        + "\(failure.attemptCount) \(failure.lasting)"
    }
    expect(failures == wanted.failures, "hooks fail with \(failures), not \(wanted.failures)")
    for failure in report.hookFailures {
      let counted = "It has thrown \(failure.attemptCount) time"
      let text = failure.policy == .retry ? counted : "continues without this call"
      expect(failure.description.contains(text), "a failure is described as \(failure)")
    }
    expect(
      report.failure?.code == (isDone ? nil : .hookFailed),
      "a pass after the calls \(calls) ends with \(report.failure?.message ?? "no error")"
    )
    guard isDone else { return }
    let durations = report.durations
    expect(
      durations.hooks == .seconds(calls.count),
      "the duration of \(calls.count) calls is reported as \(durations.hooks)"
    )
    let counts = [report.transactionCount, report.changeCount, report.pageCount]
    expect(counts == [1, 1, 1], "a pass with one transaction reports \(report)")
    let text = "1 transaction with 1 change in 1 page, through #\(number)"
    expect("\(report)" == text, "a pass is described as: \(report), not: \(text)")
  }
}

/// The number of failures left for each hook, and the hook calls since the last ``takeCalls()``.
final class HookPlan: Sendable {
  private struct State {
    var left: [String: Int] = [:]
    var calls: [String] = []
    var seconds = 0
  }

  private let state = Mutex(State())

  /// The time of the trackers' clock, which each ``call(_:)`` advances by a second.
  var now: Duration { .seconds(state.withLock { $0.seconds }) }

  var left: [String: Int] {
    get { state.withLock { $0.left } }
    set { state.withLock { $0.left = newValue } }
  }

  /// Adds a call of a hook; if the hook has failures left, uses up one of them and throws.
  func call(_ hook: String) throws {
    let fails = state.withLock { state in
      state.calls.append(hook)
      state.seconds += 1
      guard let left = state.left[hook], left > 0 else { return false }
      state.left[hook] = left - 1
      return true
    }
    if fails { throw PlannedFailure(description: "\(hook) fails") }
  }

  /// Returns the calls of hooks since this function was last called, and removes them.
  func takeCalls() -> [String] {
    state.withLock { state in
      defer { state.calls = [] }
      return state.calls
    }
  }
}

/// The error of a hook that must fail.
struct PlannedFailure: Error, CustomStringConvertible {
  let description: String
}

/// The reports of a tracker's passes that were not compared yet.
private final class ReportList: Sendable {
  private let state = Mutex((reports: [PassReport](), isFinished: false))

  var isFinished: Bool { state.withLock { $0.isFinished } }

  func append(_ report: PassReport) { state.withLock { $0.reports.append(report) } }

  func finish() { state.withLock { $0.isFinished = true } }

  func removeLast() -> PassReport? { state.withLock { $0.reports.popLast() } }
}

/// The expected calls and failures of two observers and two merge hooks.
private struct ExpectedHooks {
  static let names = ["first", "second", "third", "last"]

  private let ids: [HookID]
  /// The number of failures left for each hook in `names`.
  var left = [0, 0, 0, 0]
  private(set) var isDone = false
  private(set) var failureCount = 0
  private var number: Int64 = 0
  private var called: Set<Int> = []
  private var seconds = 0
  private var attemptCounts = [0, 0, 0, 0]
  /// The time of each hook's first failure since its last success, in seconds.
  private var since = [0, 0, 0, 0]

  init(_ ids: [HookID]) { self.ids = ids }

  /// Makes the following calls of ``pass()`` expect one new transaction, with the given number.
  mutating func begin(_ number: Int64) {
    self.number = number
    (isDone, called) = (false, [])
  }

  /// Returns the expected calls and failures of hooks in the next pass.
  mutating func pass() -> (calls: [String], failures: [String]) {
    var (calls, failures) = ([String](), [String]())
    for (place, name) in Self.names.enumerated() where !called.contains(place) {
      let (isObserver, isSkipped) = (place < 2, place == 1 || place == 2)
      calls.append(name)
      seconds += 1
      if left[place] > 0 {
        left[place] -= 1
        if attemptCounts[place] == 0 { since[place] = seconds }
        attemptCounts[place] += 1
        failureCount += 1
        let kind = isObserver ? "\(ChangeType.insert) of Item" : "merge"
        let lasting = Duration.seconds(seconds - since[place])
        failures.append(
          "\(ids[place]) \(kind) \(isSkipped ? "skip" : "retry") \(number) \(name) fails "
            + "\(attemptCounts[place]) \(lasting)"
        )
        if !isSkipped { return (calls, failures) }
      } else {
        attemptCounts[place] = 0
      }
      if isObserver { called.insert(place) }
    }
    isDone = true
    return (calls, failures)
  }
}
