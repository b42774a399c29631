package import HistoryStore
package import PersistentHistory

/// What one step of a pass has done.
package struct TrackerStep: Sendable {
  /// The numbers that a merge will bring in.
  package let fetched: [Int64]
  /// The numbers that were merged.
  package let merged: [Int64]
  /// The position that is recorded, if the step recorded.
  package let cursor: HistoryToken?
}

extension HistoryTracker {
  /// Launches the actor without a pass, for the lab, which lets others act between the two.
  ///
  /// - Throws: as ``start()``.
  package func launch(resyncingIfLost: Bool = false) throws(HistoryError) -> Registration {
    try launched(resyncingIfLost: resyncingIfLost).registration
  }

  /// Does one step of a pass alone, for the lab, which lets others act between two of them.
  ///
  /// - Throws: what the step throws in a pass.
  package func perform(_ step: PassStep) async throws(HistoryError) -> TrackerStep {
    try await takeTurn()
    defer { queue.end() }
    let session = try launched()
    var report = PassReport()
    var timer = StepTimer(configuration.clock)
    try await perform(step, session, &report, &timer)
    return TrackerStep(
      fetched: session.awaitingMerge.map(\.number),
      merged: report.numbers,
      cursor: report.cursor
    )
  }
}
