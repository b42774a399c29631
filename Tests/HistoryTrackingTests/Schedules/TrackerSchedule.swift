import Foundation
import HistoryStore
import HistoryTypes
import ObjectContexts
import TestSupport

@testable import HistoryTracking

/// Three trackers on one store, with their processes' other work, in an order drawn from a seed.
///
/// At the end, when all are idle, the invariants are checked.
struct TrackerSchedule {
  /// The steps of a process between pauses.
  enum Step: CaseIterable {
    case insert
    case update
    case delete
    case pass
    case purge
    case restart
    case failure
  }

  /// The seed that determines the schedule.
  let seed: UInt64

  /// The result of a run.
  struct Outcome {
    /// The violations, in sentences.
    var violations: [String] = []
    var stepCount = 0
    var choiceCount = 0
    var transactionCount: Int64 = 0
    /// The transactions that the observers received, to compare two runs.
    var told: [[Int64]] = []
    /// Weak references to the trackers, which should be released.
    var trackers: [WeakTracker] = []
  }

  /// A weak reference to a tracker.
  struct WeakTracker {
    weak var tracker: HistoryTracker?
  }

  /// Runs the schedule on a copy of a store.
  func run(on template: ScheduleTemplate) throws -> Outcome {
    let executor = ScheduledExecutor(seed: seed)
    let copy = try template.copy(seed)
    defer { template.remove(copy) }
    let actors = try ["app", "share", "widget"].map {
      ScheduledActor($0, try template.open(copy), executor)
    }
    for actor in actors { executor.start { await actor.start() } }
    executor.runUntilIdle()
    var steps: [[Step]] = []
    for actor in actors {
      let plan = (0..<6).map { _ in Step.allCases[executor.choose(0..<Step.allCases.count)] }
      steps.append(plan)
      actor.followReports()
      executor.start {
        for step in plan {
          await actor.perform(step, telling: actors)
          await executor.pause()
        }
      }
    }
    executor.runUntilIdle()
    return try judge(actors, steps, executor)
  }

  private func judge(
    _ actors: [ScheduledActor],
    _ steps: [[Step]],
    _ executor: ScheduledExecutor
  ) throws -> Outcome {
    for actor in actors { actor.failuresToCome = 0 }
    for _ in 0..<2 {
      for actor in actors { actor.signal() }
      executor.runUntilIdle()
    }
    var outcome = Outcome()
    let head = try actors[0].store.currentToken().number
    outcome.stepCount = executor.stepCount
    outcome.choiceCount = executor.choiceCount
    outcome.transactionCount = head
    outcome.trackers = actors.map { WeakTracker(tracker: $0.tracker) }
    for (actor, steps) in zip(actors, steps) {
      outcome.told.append(actor.told)
      outcome.violations += actor.violations
      outcome.violations += try actor.divergence()
      // Notifications that a failing hook or a restart interrupted are repeated.
      let repeats = actor.failureCount > 0 || steps.contains(.restart)
      outcome.violations += actor.undelivered(through: head, mayRepeat: repeats)
    }
    outcome.violations += try retained(by: actors[0].store, head)
    for actor in actors { executor.start { await actor.tracker.stop() } }
    executor.runUntilIdle()
    return outcome
  }

  /// Returns the history that members have not recorded, and what a purge then keeps.
  private func retained(by store: Store, _ head: Int64) throws -> [String] {
    var violations = try store.members().filter { $0.cursor.rawValue != head }.map {
      "\($0.id) recorded #\($0.cursor) of #\(head)"
    }
    _ = try store.purge()
    let held = try store.heldNumbers()
    if held.count > 1 { violations.append("\(held) are held when all are merged") }
    return violations
  }
}

/// A store of which every schedule gets a copy.
final class ScheduleTemplate {
  private let folder: TemporaryFolder
  private let model: Model
  private var path: String { folder.path("template.store") }

  init() throws {
    folder = try TemporaryFolder()
    model = try Model([Entity("Item", [Attribute("count", .int)])])
    _ = try Store(path: folder.path("template.store"), model: model)
  }

  func copy(_ seed: UInt64) throws -> String {
    let copy = folder.path("\(seed).store")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    return copy
  }

  func remove(_ copy: String) {
    for suffix in ["", "-wal", "-shm"] { unlink(copy + suffix) }
  }

  /// Opens a connection, as a process does.
  func open(_ path: String) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.signalsChanges = false
    configuration.memberLocks = .none
    return try Store(path: path, model: model, configuration: configuration)
  }
}
