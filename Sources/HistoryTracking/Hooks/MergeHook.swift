public import ObjectContexts
public import PersistentHistory

/// What a merge hook is asked about: the transactions of one page, and where they will be merged.
public struct MergeHookInput: Sendable {
  /// What others wrote, in commit order; never empty.
  public let transactions: [HistoryTransaction]
  /// The contexts of the tracker, before the merge.
  public let contexts: [ObjectContext]
  /// The actor that merges.
  public let actor: ActorID
}

/// Whether the merge goes on after a merge hook.
public enum MergeHookResult: Sendable, Hashable {
  /// The next hook is asked, and after the last one the transactions are merged.
  case goOn
  /// Neither: the hook has merged what it wants to be merged.
  ///
  /// The cursor goes on all the same, so what the hook left out is never merged: it has opted the
  /// actor out of these transactions.
  case finish
}

/// A merge hook: it is asked before the transactions of a page are merged.
public typealias MergeHookCallback =
  @Sendable (_ input: MergeHookInput) async throws ->
  MergeHookResult
