import HistoryTracking
import PersistentHistory
import Traces

extension PlannedHook {
  /// What an observer does when it is called.
  typealias ObserverCall = @Sendable ([HookContext]) throws -> Void
  /// What a merge hook does when it is asked.
  typealias MergeCall = @Sendable (MergeHookInput) throws -> MergeHookResult

  /// A hook as a tracker registers it.
  enum Registered {
    /// For every operation on every entity.
    case observer(ObserverCall)
    case mergeHook(HookFailurePolicy, MergeCall)
  }

  /// What the hook does, which is one of several.
  func registration(_ index: Int, _ notes: HookNotes) -> Registered {
    switch self {
    case .observer: .observer { notes.note($0) }
    case .observerRetry, .observerRetryAlternating:
      .observer { group in
        try notes.call(self, index)
        notes.note(group)
      }
    case .finish:
      .mergeHook(.retry) { input in
        guard notes.isTrouble(self, index) else { return .goOn }
        notes.noteFinished(input.transactions.map(\.number))
        return .finish
      }
    case .retry, .skip, .retryAlternating, .skipAlternating:
      .mergeHook(self == .skip || self == .skipAlternating ? .skip : .retry) { _ in
        try notes.call(self, index)
        return .goOn
      }
    }
  }
}

extension HookNotes {
  /// Notes that an observer was called with a group of changes.
  fileprivate func note(_ group: [HookContext]) {
    if let context = group.first { note(context.transaction.number) }
  }
}
