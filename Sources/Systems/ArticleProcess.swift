import HistoryStore
import ObjectContexts
import PersistentHistory
import Traces

/// A process with the article's manager in it.
final class ArticleProcess {
  /// The name under which the article's own batch work is merged.
  static let batchContextName = "batchContext"

  let process: PlanProcess
  /// What was fetched last.
  var fetched: [HistoryTransaction] = []

  /// Starts the process, which loads its view from the store.
  init(_ actor: PlannedActor, _ bench: StoreBench) throws(HistoryError) {
    process = try PlanProcess(
      actor, header: bench.header, configuration: bench.configuration,
      path: bench.environment.path, batchContextName: Self.batchContextName)
    try process.view.loadAll()
  }

  /// What the process has in memory.
  struct Memory {
    let process: PlanProcess.Memory
    let fetched: [HistoryTransaction]
  }

  var memory: Memory { Memory(process: process.memory, fetched: fetched) }

  /// Puts the process back as it was, on a store that was put back.
  init(_ memory: Memory, _ bench: StoreBench) throws(HistoryError) {
    process = try PlanProcess(
      memory.process, bench.header, bench.configuration, bench.environment.path)
    fetched = memory.fetched
  }
}
