import HistoryStore
import HistoryTracking
import PersistentHistory
import Traces

/// A process with our tracker in it.
final class TrackedProcess {
  let process: PlanProcess
  let session: MemberSession

  /// Starts the process: it registers or takes up its cursor, and loads its view.
  init(_ actor: PlannedActor, on store: Store) throws(HistoryError) {
    let process = PlanProcess(actor, on: store)
    self.process = process
    session = try MemberSession(
      actor.id,
      store: process.store,
      contexts: [process.view],
      author: actor.author,
      ignoredAuthors: Set(actor.ignores ?? [])
    )
  }

  /// What the process has in memory.
  struct Memory {
    let process: PlanProcess.Memory
    let session: MemberSession.Memory
  }

  var memory: Memory { Memory(process: process.memory, session: session.memory) }

  /// Puts the process back as it was, on a store that was put back.
  init(_ memory: Memory, on store: Store) {
    process = PlanProcess(memory.process, on: store)
    session = MemberSession(memory.session, store: process.store, contexts: [process.view])
  }
}
