public import ObjectContexts
public import PersistentHistory

/// Brings transactions into contexts in its own way, in the place of the default merge.
public protocol TransactionMerger: Sendable {
  /// Merges the transactions of one page, in commit order; it may be asked again for the same ones.
  ///
  /// - Throws: what it likes; the pass then fails and is repeated.
  func merge(
    _ transactions: [HistoryTransaction],
    into contexts: [ObjectContext]
  ) async throws
}

/// Merges into every context what that did not save itself: what a tracker does by default.
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

/// Looks for duplicates among what was merged, and removes them.
public protocol TransactionDeduplicator: Sendable {
  /// Removes duplicates of the objects that the transactions of one page brought in; the contexts have
  /// them merged, the cursor is not yet recorded.
  ///
  /// - Throws: what it likes; the pass then fails and is repeated.
  func deduplicate(
    _ transactions: [HistoryTransaction],
    in contexts: [ObjectContext]
  ) async throws
}
