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
  /// Launches the actor without a pass, so that others can act between the two.
  ///
  /// - Throws: as ``start()``.
  package func launch(resyncingIfLost: Bool = false) throws(HistoryError) -> Registration {
    try core.launched(resyncingIfLost: resyncingIfLost).registration
  }

  /// Does one step of a pass alone, so that others can act between two of them.
  ///
  /// - Throws: what the step throws in a pass.
  package func perform(_ step: PassStep) async throws(HistoryError) -> TrackerStep {
    try await takeTurn()
    defer { queue.end() }
    var run = try core.begin(step)
    if let failure = await drive(&run) { throw failure }
    return run.step
  }
}
