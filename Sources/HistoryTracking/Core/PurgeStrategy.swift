public import HistoryStore
public import HistoryTypes
public import ObjectContexts

/// The condition under which a tracker purges after a pass.
///
/// Under every strategy, a purge removes only history that every member has merged.
public enum PurgeStrategy: Sendable, Hashable {
  /// Passes never purge; call ``HistoryTracker/purge()`` or use a ``HistoryPurger``.
  case none
  /// Purges after every pass.
  case whenMerged
  /// Purges after a pass if no process has purged the store for this long.
  ///
  /// The store keeps the time of the last purge.
  case byDuration(Duration)
  /// Purges after every `times` passes that found new transactions, counted by this tracker.
  case byNotification(times: Int)
  /// Purges after a pass if history takes up more than this share of the store, from 0 to 1.
  case whenLargerThan(share: Double)
}

extension PurgeStrategy: CustomStringConvertible {
  /// The strategy as text, in the form that the registry stores.
  public var description: String {
    switch self {
    case .none: "none"
    case .whenMerged: "whenMerged"
    case .byDuration(let duration): "byDuration(\(duration.inSeconds) s)"
    case .byNotification(let times): "byNotification(\(times))"
    case .whenLargerThan(let share): "whenLargerThan(\(share))"
    }
  }
}

/// A purger of a store's history on demand (in PersistentHistoryTrackingKit: the manual cleaner).
///
/// Use a purger in a background task, a maintenance job or an app that moves to the background.
///
/// A purger needs no tracker and is not a member. Like every purge, it keeps history that a member
/// has not merged.
public struct HistoryPurger: Sendable {
  private let store: Store
  private let limits: RetentionLimits

  /// Creates a purger of a store, with limits on the unmerged history that it keeps for a member.
  ///
  /// If `retention` is `nil` (the default), a purge keeps all history that any member has not
  /// merged.
  public init(store: Store, retention: RetentionLimits? = nil) {
    self.store = store
    limits = retention ?? RetentionLimits()
  }

  /// Purges the history that every member has merged, off the caller's executor.
  ///
  /// A member whose unmerged history exceeds the limits is marked as lost; its next fetch throws
  /// ``HistoryError/Code/lost``.
  ///
  /// - Throws: ``HistoryError/Code/sqlite``; the next purge completes an interrupted one.
  /// - Complexity: linear in the purged history.
  @concurrent
  @discardableResult
  public func purge() async throws(HistoryError) -> PurgeResult {
    try store.purge(retaining: limits)
  }
}

/// A custom way to merge transactions into contexts, which replaces the default merge.
public protocol TransactionMerger: Sendable {
  /// Merges the transactions of one page in commit order.
  ///
  /// The method may be called again with the same transactions.
  ///
  /// - Throws: Any error; the pass then fails and is retried.
  func merge(
    _ transactions: [HistoryTransaction],
    into contexts: [ObjectContext]
  ) async throws
}

/// The default merger, which merges transactions into every context that did not save them.
public struct DefaultMerger: TransactionMerger {
  /// Creates the merger.
  public init() {}

  /// Merges the transactions into every context that did not save them.
  public func merge(
    _ transactions: [HistoryTransaction],
    into contexts: [ObjectContext]
  ) async throws {
    for context in contexts { try context.merge(transactions) }
  }
}

/// A type that finds and removes duplicates among the merged objects.
public protocol TransactionDeduplicator: Sendable {
  /// Removes duplicates of the objects in the transactions of one page.
  ///
  /// The contexts have merged the transactions; the cursor is not recorded yet.
  ///
  /// - Throws: Any error; the pass then fails and is retried.
  func deduplicate(
    _ transactions: [HistoryTransaction],
    in contexts: [ObjectContext]
  ) async throws
}
