public import ObjectContexts
public import PersistentHistory

/// The input of a merge hook: the transactions of one page, and the contexts to merge them into.
public struct MergeHookInput: Sendable {
  /// The transactions to merge, in commit order; never empty.
  public let transactions: [HistoryTransaction]
  /// The contexts of the tracker, before the merge.
  public let contexts: [ObjectContext]
  /// The member that merges.
  public let actor: ActorID
}

/// The decision of a merge hook about how the merge continues.
public enum MergeHookResult: Sendable, Hashable {
  /// Calls the next hook; after the last one, the transactions are merged.
  case goOn
  /// Skips the remaining hooks and the merge; the hook has merged the transactions itself.
  ///
  /// The cursor advances nevertheless, so transactions that the hook left out are never merged.
  case finish
}

/// A merge hook, called before the transactions of a page are merged.
public typealias MergeHookCallback =
  @Sendable (_ input: MergeHookInput) async throws ->
  MergeHookResult
