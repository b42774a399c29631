public import HistoryStore

/// Purges a store's history by hand: in a background task, a maintenance job, or an app that goes to
/// the background (in the kit: the manual cleaner).
///
/// It needs no tracker and is no member. Like every purge it ends at what every member has merged.
public struct HistoryPurger: Sendable {
  private let store: Store
  private let limits: RetentionLimits

  /// Creates a purger of a store, which waits for every member, or not beyond some limits.
  public init(store: Store, retention: RetentionLimits? = nil) {
    self.store = store
    limits = retention ?? RetentionLimits()
  }

  /// Purges what every member has merged, off the caller's executor; actors beyond the limits are
  /// marked as lost, and told at their next fetch.
  ///
  /// - Throws: ``HistoryError/sqlite(_:)``; what was purged before stays so, and the next purge completes
  ///   it.
  /// - Complexity: proportional to what is purged.
  @concurrent
  @discardableResult
  public func purge() async throws(HistoryError) -> PurgeResult {
    try store.purge(retaining: limits)
  }

  /// Purges as ``purge()`` does, as the kit's cleaner is called.
  @discardableResult
  public func callAsFunction() async throws(HistoryError) -> PurgeResult {
    try await purge()
  }
}
