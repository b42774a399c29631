import HistoryStore
import HistoryTracking
import PersistentHistory
import Traces

/// A process that runs the tracker.
final class TrackedProcess: HostedProcess {
  let process: PlanProcess
  /// The engine of its passes.
  let engine: any PassEngine
  private let setup: TrackerSetup
  /// The last position that a signal or a poll reported; `nil` makes any position a new one.
  var told: HistoryToken?

  /// Starts the process: registers or continues from its cursor, and loads its contexts.
  ///
  /// Its tracker runs either as in an app, through the actor and its tasks, or through its core
  /// directly.
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
  struct Memory {
    let process: PlanProcess.Memory
    let engine: PassEngineMemory
    let setup: TrackerSetup
    let told: HistoryToken?
  }

  func memory() throws(SystemFailure) -> Memory {
    guard let engine = engine.memory else {
      throw SystemFailure(
        .unsupported,
        "\(process.actor.id) waits to repeat a pass: its task cannot be kept and put back."
      )
    }
    return Memory(process: try process.memory(), engine: engine, setup: setup, told: told)
  }

  /// Restores the process from a snapshot, on a store that was restored too.
  init(_ memory: Memory, on store: Store) throws(HistoryError) {
    process = try PlanProcess(memory.process, on: store)
    setup = memory.setup
    engine = try memory.engine.engine(memory.setup, process)
    told = memory.told
  }

  func end() { engine.end() }

  func describe(_ state: inout StateSketch) {
    engine.describe(&state)
    if let told { state.add(number: told.number) } else { state.add(-1) }
  }
}
