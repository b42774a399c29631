public import ObjectContexts
public import PersistentHistory

/// A custom way to merge transactions into contexts, in place of the default merge.
public protocol TransactionMerger: Sendable {
  /// Merges the transactions of one page in commit order; may be called again with the same ones.
  ///
  /// - Throws: Any error; the pass then fails and is retried.
  func merge(
    _ transactions: [HistoryTransaction],
    into contexts: [ObjectContext]
  ) async throws
}

/// The default merger, which merges into every context what that context did not save itself.
public struct DefaultMerger: TransactionMerger {
  /// Creates the merger.
  public init() {}

  /// Merges the transactions into every context.
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
