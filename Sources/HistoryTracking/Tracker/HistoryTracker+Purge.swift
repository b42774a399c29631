public import HistoryStore
import PersistentHistory

extension HistoryTracker {
  /// Purges what every member has merged, whatever the strategy says.
  ///
  /// - Throws: ``HistoryError/superseded(_:)`` and its like when the tracker is launched and was
  ///   replaced; nothing is purged then.
  @discardableResult
  public func purge() async throws(HistoryError) -> PurgeResult {
    try core.purge()
  }

  /// What purges by hand, apart from the tracker and its passes (in the kit: `cleanerBuilder()`).
  public nonisolated var purger: HistoryPurger {
    HistoryPurger(store: store, retention: configuration.retention)
  }
}
