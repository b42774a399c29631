package import HistoryStore

extension HistoryTracker {
  /// What a tracker has in memory between two requests: what the lab keeps to put one back as it was.
  package struct Memory: Sendable {
    let session: MemberSession.Memory?
    let failure: HistoryError?
    let troubles: HookTroubles
    let purges: PurgeTurn
    /// The last group that each observer was told, in the order of their registration.
    let told: [GroupPosition?]
    let toldAuthors: Set<String>
    let isStarted: Bool
  }

  /// What the tracker has in memory; nothing must be under way or wait to be repeated.
  package var memory: Memory {
    Memory(
      session: session?.memory,
      failure: failure,
      troubles: troubles,
      purges: purges,
      told: hooks.told,
      toldAuthors: toldAuthors,
      isStarted: isStarted
    )
  }

  /// Takes up what a tracker with the same hooks had in memory, on a store that was put back; one that
  /// was started follows the store from here on, without a pass before.
  ///
  /// - Throws: ``HistoryError/inUse(_:processID:)`` when the actor runs already, and what keeps the store
  ///   from being watched.
  package func resume(_ memory: Memory) throws(HistoryError) {
    session = try memory.session.map { kept throws(HistoryError) in
      MemberSession(try kept.held(by: store), store: store, contexts: contexts)
    }
    failure = memory.failure
    troubles = memory.troubles
    purges = memory.purges
    hooks.told = memory.told
    toldAuthors = memory.toldAuthors
    if memory.isStarted { follow(try configuration.signals(store)) }
  }
}
