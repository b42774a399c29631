import HistoryStore
import HistoryTracking
import PersistentHistory
import Traces

/// A process with our tracker in it.
final class TrackedProcess: HostedProcess {
  let process: PlanProcess
  let session: MemberSession
  /// The newest position that a signal or a look has told of; nothing makes the next one a new one.
  var told: HistoryToken?

  /// Starts the process: it registers or takes up its cursor, and loads its contexts.
  init(
    _ actor: PlannedActor,
    on store: Store,
    resyncingIfLost: Bool = false
  ) throws(HistoryError) {
    let process = PlanProcess(actor, on: store)
    self.process = process
    session = try MemberSession(
      actor.id,
      store: process.store,
      contexts: process.contexts,
      author: actor.author,
      ignoredAuthors: Set(actor.ignores ?? []),
      resyncingIfLost: resyncingIfLost
    )
  }

  /// What the process has in memory.
  struct Memory {
    let process: PlanProcess.Memory
    let session: MemberSession.Memory
    let told: HistoryToken?
  }

  var memory: Memory {
    Memory(process: process.memory, session: session.memory, told: told)
  }

  /// Puts the process back as it was, on a store that was put back.
  init(_ memory: Memory, on store: Store) {
    process = PlanProcess(memory.process, on: store)
    session = MemberSession(memory.session, store: process.store, contexts: process.contexts)
    told = memory.told
  }

  /// Whether it purges after a pass.
  var purgesAfterPass: Bool { process.actor.strategy != "none" }

  func digest(into hash: inout Digest) {
    hash.add(Int(session.mergedThrough.number))
    hash.add(Int(session.recordedThrough.number))
    hash.add(Int(told?.number ?? -1))
    for transaction in session.awaitingMerge { hash.add(Int(transaction.number)) }
  }
}
