import HistoryStore
import HistoryTracking
import PersistentHistory
import Traces

/// A process with our tracker in it.
final class TrackedProcess: HostedProcess {
  let process: PlanProcess
  /// What carries out its passes.
  let engine: any PassEngine
  private let setup: TrackerSetup
  /// The newest position that a signal or a look has told of; nothing makes the next one a new one.
  var told: HistoryToken?

  /// Starts the process: it registers or takes up its cursor, and loads its contexts.
  ///
  /// Its tracker is driven as an app's is, by the actor with its tasks, or its core is driven directly.
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

  /// What the process has in memory.
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

  /// Puts the process back as it was, on a store that was put back.
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
