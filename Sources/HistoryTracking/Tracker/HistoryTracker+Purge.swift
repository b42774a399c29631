public import HistoryStore
import PersistentHistory

extension HistoryTracker {
  /// Purges the history that every member has merged, regardless of the strategy.
  ///
  /// - Throws: ``HistoryError/superseded(_:)`` and similar errors if the tracker is launched and
  ///   was replaced; nothing is purged then.
  @discardableResult
  public func purge() async throws(HistoryError) -> PurgeResult {
    try core.purge()
  }

  /// A purger of the store, independent of the tracker's passes (in the kit: `cleanerBuilder()`).
  public nonisolated var purger: HistoryPurger {
    HistoryPurger(store: store, retention: configuration.retention)
  }
}
