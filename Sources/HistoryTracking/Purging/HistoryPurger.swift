public import HistoryStore

/// A purger of a store's history on demand (in the kit: the manual cleaner).
///
/// Use it in a background task, a maintenance job or an app that moves to the background.
///
/// A purger needs no tracker and is not a member. Like every purge, it keeps what a member has not
/// merged.
public struct HistoryPurger: Sendable {
  private let store: Store
  private let limits: RetentionLimits

  /// Creates a purger of a store, with limits beyond which it does not wait for a member.
  ///
  /// The default is no limits.
  public init(store: Store, retention: RetentionLimits? = nil) {
    self.store = store
    limits = retention ?? RetentionLimits()
  }

  /// Purges the history that every member has merged, off the caller's executor.
  ///
  /// Members beyond the limits are marked as lost; their next fetch throws
  /// ``HistoryError/lost(_:)``.
  ///
  /// - Throws: ``HistoryError/sqlite(_:)``; the next purge completes an interrupted one.
  /// - Complexity: proportional to the purged history.
  @concurrent
  @discardableResult
  public func purge() async throws(HistoryError) -> PurgeResult {
    try store.purge(retaining: limits)
  }

  /// Purges like ``purge()``, with the call syntax of the kit's cleaner.
  @discardableResult
  public func callAsFunction() async throws(HistoryError) -> PurgeResult {
    try await purge()
  }
}
