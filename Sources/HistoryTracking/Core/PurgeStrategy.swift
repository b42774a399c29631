public import HistoryStore
public import HistoryTypes
public import ObjectContexts

/// The condition under which a tracker purges after a pass.
///
/// Under every strategy, a purge removes only history that every member has merged.
public enum PurgeStrategy: Sendable, Hashable {
  /// Passes never purge; call ``HistoryTracker/purge()`` or ``HistoryStore/Store/purge(when:retaining:)``.
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
  ///
  /// - Throws: The errors of ``ObjectContexts/ObjectContext/merge(_:)``.
  public func merge(
    _ transactions: [HistoryTransaction],
    into contexts: [ObjectContext]
  ) throws(HistoryError) {
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
