import Foundation
import HistoryStore
import HistoryTypes
import ObjectContexts
import TestSupport

@testable import HistoryTracking

/// Three trackers on one store, each with what its process does meanwhile, in an order that a seed
/// decides; and what is wrong when all is quiet again.
struct TrackerSchedule {
  /// What a process does between pauses.
  enum Step: CaseIterable {
    case insert
    case update
    case delete
    case pass
    case purge
    case restart
    case failure
  }

  /// The seed that everything in it comes from.
  let seed: UInt64

  /// What a run came to.
  struct Outcome {
    /// What broke an invariant, in sentences.
    var violations: [String] = []
    var stepCount = 0
    var choiceCount = 0
    var transactionCount: Int64 = 0
    /// What the observers were told, for a comparison of two runs.
    var told: [[Int64]] = []
    /// The trackers, which nothing holds any more.
    var trackers: [WeakTracker] = []
  }

  /// A tracker that may go away.
  struct WeakTracker {
    weak var tracker: HistoryTracker?
  }

  /// Runs it on a copy of a store.
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
      outcome.violations += actor.troubles
      outcome.violations += try actor.divergence()
      // What a hook did not finish, or a restart cut off, is told again.
      let repeats = actor.failureCount > 0 || steps.contains(.restart)
      outcome.violations += actor.undelivered(through: head, mayRepeat: repeats)
    }
    outcome.violations += try retained(by: actors[0].store, head)
    for actor in actors { executor.start { await actor.tracker.stop() } }
    executor.runUntilIdle()
    return outcome
  }

  /// What members have not recorded, and what a purge leaves behind then.
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

/// A store that every schedule has a copy of.
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

  /// A connection as a process has one.
  func open(_ path: String) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.signalsChanges = false
    configuration.memberLocks = .none
    return try Store(path: path, model: model, configuration: configuration)
  }
}
