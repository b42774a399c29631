package import HistoryStore

extension HistoryTracker {
  /// A snapshot of the in-memory state of a tracker between two requests.
  package struct Memory: Sendable {
    let core: TrackerCore.Memory
    let isStarted: Bool
  }

  /// A snapshot of the tracker's in-memory state.
  ///
  /// No pass may be in progress or waiting for a retry.
  package var memory: Memory { Memory(core: core.memory, isStarted: isStarted) }

  /// Restores the snapshot of a tracker with the same hooks, on a store that was restored as well.
  ///
  /// A tracker that was started follows the store from now on, without a pass first.
  ///
  /// - Throws: ``HistoryError/inUse(_:processID:)`` if the member is already running, and errors
  ///   that prevent watching the store.
  package func resume(_ memory: Memory) throws(HistoryError) {
    try core.resume(memory.core)
    if memory.isStarted { follow(try configuration.signals(store)) }
  }

  /// The position of the current launch; `nil` before the launch.
  package var place: SessionPlace? { core.session?.place }

  /// The number of passes that found new transactions, as counted by the purge strategy.
  package var newsCount: Int { core.newsCount }
}
