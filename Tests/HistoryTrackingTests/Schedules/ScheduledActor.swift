import HistoryStore
import HistoryTypes
import ObjectContexts

@testable import HistoryTracking

/// A process of a schedule: a tracker with a view, hooks that pause, and writes of its own.
///
/// Everything runs on the schedule's executor, one job at a time.
final class ScheduledActor: @unchecked Sendable {
  let store: Store
  let view: ObjectContext
  let tracker: HistoryTracker
  fileprivate let name: String
  fileprivate let executor: ScheduledExecutor
  private let signals = Signals()
  /// The numbers of the transactions that the observers received, in order.
  private(set) var notified: [Int64] = []
  /// The number of running merge hooks, and the errors.
  private var hookDepth = 0
  private(set) var violations: [String] = []
  /// How many later calls of the observer throw, and how many have thrown.
  var failuresToCome = 0
  private(set) var failureCount = 0

  init(_ name: String, _ store: Store, _ executor: ScheduledExecutor) {
    self.name = name
    self.store = store
    self.executor = executor
    view = ObjectContext(store: store, author: name, name: "view")
    var configuration = TrackerConfiguration(currentAuthor: name)
    configuration.executor = executor
    configuration.signals = signals.source
    configuration.logLevel = nil
    configuration.clock = TrackerClock(
      now: { .zero },
      sleep: { _ in await executor.pause() }
    )
    tracker = HistoryTracker(
      MemberID(name),
      store: store,
      contexts: [view],
      configuration: configuration
    )
  }

  func signal() { signals.send() }

  /// Registers the hooks and starts the tracker.
  func start() async {
    await attempt {
      for operation in [ChangeType.insert, .update, .delete] {
        try await tracker.registerObserver(entity: "Item", operation: operation) { [weak self] in
          try await self?.observe($0)
        }
      }
      try await tracker.registerMergeHook { [weak self] _ in
        await self?.hook()
        return .proceed
      }
      try await tracker.start()
    }
  }

  private func observe(_ group: [HookContext]) async throws {
    await executor.pause()
    if failuresToCome > 0 {
      failuresToCome -= 1
      failureCount += 1
      throw Rain()
    }
    notified += group.prefix(1).map(\.key.number.rawValue)
  }

  private func hook() async {
    hookDepth += 1
    if hookDepth > 1 { violations.append("\(name): two passes at a time") }
    for _ in 0..<executor.choose(0..<3) { await executor.pause() }
    hookDepth -= 1
  }

  /// Records why passes failed, until the tracker is released.
  func followReports() {
    let tracker = tracker
    executor.start { [weak self, weak tracker] in
      guard let reports = await tracker?.passes else { return }
      for await report in reports { if let failure = report.failure { self?.note(failure) } }
    }
  }

  /// Runs a body that may throw a hook's error, but no other.
  func attempt(_ body: () async throws -> Void) async {
    do {
      try await body()
    } catch let error as HistoryError {
      note(error)
    } catch {
      violations.append("\(name): \(error)")
    }
  }

  private func note(_ error: HistoryError) {
    if error.code == .hookFailed, failureCount > 0 { return }
    violations.append("\(name): \(error)")
  }
}

extension ScheduledActor {
  /// Performs one step as the tracker's process.
  func perform(_ step: TrackerSchedule.Step, telling actors: [ScheduledActor]) async {
    await attempt {
      switch step {
      case .insert: try store.batchInsert(into: "Item", [["count": 1]], by: author)
      case .update: try store.batchUpdate("Item", set: ["count": 2], by: author)
      case .delete: try store.batchDelete("Item", where: .compare("count", .equal, 2), by: author)
      case .pass: try await tracker.pass()
      case .purge: try await tracker.purge()
      case .failure: failuresToCome += 1
      case .restart:
        await tracker.stop()
        await executor.pause()
        // A hook that throws also fails the start, so the process tries again.
        while await !tracker.isStarted { await attempt { _ = try await tracker.start() } }
      }
    }
    for actor in actors { actor.signal() }
  }

  private var author: BatchAuthor { BatchAuthor(name) }

  /// Returns the differences between the view and the data.
  func divergence() throws -> [String] {
    let fresh = ObjectContext(store: store)
    try fresh.loadAll()
    let (seen, there) = (try view.rows(), try fresh.rows())
    return seen == there ? [] : ["\(name) sees \(seen), and the store holds \(there)"]
  }

  /// Returns the transactions that observers missed, or received too often or out of order.
  func undelivered(through head: Int64, mayRepeat: Bool) -> [String] {
    let expected = Array(1...max(1, head)).filter { $0 <= head }
    let missing = expected.filter { !notified.contains($0) }
    var violations = missing.map { "\(name) was not notified of #\($0)" }
    if !mayRepeat, notified != expected {
      violations.append("\(name) was notified \(notified), each once and in order of \(expected)")
    }
    return violations
  }
}

extension ObjectContext {
  /// The values of every object of the view, by key.
  fileprivate func rows() throws -> [Int64: Value] {
    var rows: [Int64: Value] = [:]
    for object in try registeredObjects("Item") { rows[object.id.key] = try object["count"] }
    return rows
  }
}
