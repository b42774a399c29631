import HistoryStore
import HistoryTracking
import HistoryTypes
import Traces

/// A process that runs the tracker.
final class TrackedProcess: HostedProcess {
  let process: PlanProcess
  /// The engine that performs the process's passes.
  let engine: any PassEngine
  private let setup: TrackerSetup
  /// The last position that a signal or a poll reported; if `nil`, the next report counts as new.
  var reported: HistoryToken?

  /// Starts the process: registers the member or continues from its cursor, and loads the contexts.
  ///
  /// If `byActor` is `true`, the tracker runs as a Swift actor with its tasks, as in an app.
  /// Otherwise only the tracker's core runs, synchronously. ``PlannedDriver`` describes both ways.
  init(
    _ actor: PlannedActor,
    _ setup: TrackerSetup,
    byActor: Bool,
    on store: Store,
    resyncingIfLost: Bool
  ) throws(HistoryError) {
    let process = PlanProcess(actor, on: store)
    self.process = process
    self.setup = setup
    engine =
      byActor
      ? try TrackerEngine(setup, process, resyncingIfLost: resyncingIfLost)
      : try CoreEngine(setup, process, resyncingIfLost: resyncingIfLost)
  }

  /// A snapshot of the process's memory.
  struct Snapshot {
    let process: PlanProcess.Snapshot
    let engine: PassEngineSnapshot
    let setup: TrackerSetup
    let reported: HistoryToken?
  }

  func snapshot() throws(SystemFailure) -> Snapshot {
    guard let engine = engine.snapshot else {
      throw SystemFailure(
        .unsupported,
        "No snapshot can be taken: a task of \(process.actor.id) waits to repeat a pass, and a "
          + "snapshot cannot contain tasks."
      )
    }
    return Snapshot(
      process: try process.snapshot(),
      engine: engine,
      setup: setup,
      reported: reported
    )
  }

  /// Creates a process from a snapshot, on a store that is already restored.
  init(_ snapshot: Snapshot, on store: Store) throws(HistoryError) {
    process = try PlanProcess(snapshot.process, on: store)
    setup = snapshot.setup
    engine = try snapshot.engine.engine(snapshot.setup, process)
    reported = snapshot.reported
  }

  static func isSuspended(_ snapshot: Snapshot) -> Bool { snapshot.process.store == nil }

  func end() { engine.end() }

  func describe(_ state: inout StateSketch) {
    engine.describe(&state)
    if let reported { state.add(number: reported.number) } else { state.add(-1) }
  }
}

/// The settings of one actor's tracker, from the plan; all snapshots of the actor share them.
final class TrackerSetup {
  /// The hooks that the member registers.
  let hooks: [PlannedHook]
  /// The configuration of the tracker, without an executor and signals.
  let configuration: TrackerConfiguration

  /// Creates the setup of an actor from its own settings and the header's retention limits.
  init(_ actor: PlannedActor, _ header: PlanHeader) throws(SystemFailure) {
    guard let strategy = PurgeStrategy(planned: actor.strategy) else {
      throw SystemFailure(
        .failed,
        "\(actor.id)'s tracker does not support the purge strategy \"\(actor.strategy ?? "")\"."
      )
    }
    let retention = RetentionLimits(
      age: (header.retention?.age).map(Duration.init(clampedSeconds:)),
      transactionCount: header.retention?.transactions,
      byteCount: header.retention?.bytes
    )
    hooks = (actor.hooks ?? []).compactMap(PlannedHook.init)
    var configuration = TrackerConfiguration()
    configuration.currentAuthor = actor.author
    configuration.ignoring = Set(actor.ignores ?? [])
    configuration.strategy = strategy
    if let page = actor.page { configuration.pageTransactionCountMax = page }
    configuration.loadsAllObjects = !actor.isPartial
    configuration.retention = retention.isOff ? nil : retention
    configuration.allAuthors = Set(actor.allAuthors ?? [])
    configuration.batchAuthors = Set(actor.batchAuthors ?? [])
    configuration.logLevel = nil
    configuration.clock = TrackerClock(now: { .zero }, sleep: { _ in })
    self.configuration = configuration
  }
}

extension PurgeStrategy {
  /// Examples of the purge strategies that plans can name for trackers, in plan syntax.
  package static let plannedWords = [
    "none", "whenMerged", "byNotification/2", "byDuration/60", "whenLargerThan/0.5",
  ]

  /// Parses the purge strategy of a plan; a missing word gives `.whenMerged`, a syntax error `nil`.
  package init?(planned word: String?) {
    guard let word else {
      self = .whenMerged
      return
    }
    let parts = word.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    switch (parts[0], parts.count == 2 ? Double(parts[1]) : nil) {
    case ("none", nil) where parts.count == 1: self = .none
    case ("whenMerged", nil) where parts.count == 1: self = .whenMerged
    case ("byNotification", let times?) where times >= 1 && times <= 1e6:
      self = .byNotification(times: Int(times))
    case ("byDuration", let seconds?) where seconds >= 0:
      self = .byDuration(Duration(clampedSeconds: seconds))
    case ("whenLargerThan", let share?) where (0...1).contains(share):
      self = .whenLargerThan(share: share)
    default: return nil
    }
  }
}
