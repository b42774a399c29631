import HistoryTracking
import HistoryTypes
import Traces

extension PlannedHook {
  /// The body of an observer.
  typealias ObserverCall = @Sendable ([HookContext]) throws -> Void
  /// The body of a merge hook.
  typealias MergeCall = @Sendable (MergeHookInput) throws -> MergeHookResult

  /// A hook with its body, in the form that a tracker registers.
  enum Registered {
    /// An observer, which is registered for every operation on every entity.
    case observer(ObserverCall)
    case mergeHook(HookFailurePolicy, MergeCall)
  }

  /// Returns the hook's body for registration with a tracker.
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
        guard notes.fails(self, index) else { return .goOn }
        notes.noteFinished(input.transactions.map(\.number.rawValue))
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
  /// Records that an observer received a group of changes.
  fileprivate func note(_ group: [HookContext]) {
    if let context = group.first { note(context.transaction.number.rawValue) }
  }
}
