import HistoryStore
import ObjectContexts
import PersistentHistory
import Traces

/// A process with the article's manager in it.
final class ArticleProcess: HostedProcess {
  /// The name under which the article's own batch work is merged.
  static let batchContextName = "batchContext"

  let process: PlanProcess
  /// What was fetched last.
  var fetched: [HistoryTransaction] = []

  /// Starts the process, which loads its view from the store.
  init(_ actor: PlannedActor, on store: Store) throws(HistoryError) {
    process = PlanProcess(actor, on: store, batchContextName: Self.batchContextName)
    for context in process.contexts { try context.loadAll() }
  }

  /// What the process has in memory.
  struct Memory {
    let process: PlanProcess.Memory
    let fetched: [HistoryTransaction]
  }

  func memory() -> Memory { Memory(process: process.memory, fetched: fetched) }

  /// Puts the process back as it was, on a store that was put back.
  init(_ memory: Memory, on store: Store) {
    process = PlanProcess(memory.process, on: store)
    fetched = memory.fetched
  }

  func end() {}

  func digest(into hash: inout Digest) {
    for transaction in fetched { hash.add(Int(transaction.number)) }
  }
}
