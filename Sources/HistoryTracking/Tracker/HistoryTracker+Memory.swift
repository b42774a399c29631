package import HistoryStore

extension HistoryTracker {
  /// What a tracker has in memory between two requests.
  package struct Memory: Sendable {
    let core: TrackerCore.Memory
    let isStarted: Bool
  }

  /// What the tracker has in memory; nothing must be under way or wait to be repeated.
  package var memory: Memory { Memory(core: core.memory, isStarted: isStarted) }

  /// Takes up what a tracker with the same hooks had in memory, on a store that was put back; one that
  /// was started follows the store from here on, without a pass before.
  ///
  /// - Throws: ``HistoryError/inUse(_:processID:)`` when the actor runs already, and what keeps the store
  ///   from being watched.
  package func resume(_ memory: Memory) throws(HistoryError) {
    try core.resume(memory.core)
    if memory.isStarted { follow(try configuration.signals(store)) }
  }

  /// Where the launch is that the tracker is in; nothing before it launches.
  package var place: SessionPlace? { core.session?.place }

  /// How many passes found something new, as far as its strategy counts them.
  package var newsCount: Int { core.newsCount }
}
