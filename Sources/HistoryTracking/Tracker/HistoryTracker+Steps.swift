package import HistoryStore
package import PersistentHistory

/// The results of one step of a pass.
package struct TrackerStep: Sendable {
  /// The numbers of the transactions that the next merge applies.
  package let fetched: [Int64]
  /// The numbers of the merged transactions.
  package let merged: [Int64]
  /// The recorded position, or `nil` if the step did not record.
  package let cursor: HistoryToken?
}

extension HistoryTracker {
  /// Launches the member without a pass, so that other code can run before the first pass.
  ///
  /// - Throws: The launch errors of ``start()``.
  package func launch(resyncingIfLost: Bool = false) throws(HistoryError) -> Registration {
    try core.launched(resyncingIfLost: resyncingIfLost).registration
  }

  /// Performs a single step of a pass, so that other code can run between two steps.
  ///
  /// - Throws: The errors of that step in a pass.
  package func perform(_ step: PassStep) async throws(HistoryError) -> TrackerStep {
    try await takeTurn()
    defer { queue.end() }
    var run = try core.begin(step)
    if let failure = await drive(&run) { throw failure }
    return run.step
  }
}
