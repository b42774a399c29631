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
  /// The last position that a signal or a poll reported; `nil` if the next position counts as new.
  var reported: HistoryToken?

  /// Starts the process: registers or continues from its cursor, and loads its contexts.
  ///
  /// The tracker runs in one of two ways: as in an app, with its actor and tasks, or through its
  /// synchronous core.
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
        "\(process.actor.id) waits to repeat a pass: its task cannot be saved and restored."
      )
    }
    return Snapshot(
      process: try process.snapshot(),
      engine: engine,
      setup: setup,
      reported: reported
    )
  }

  /// Restores the process from a snapshot, on a store that was restored too.
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
