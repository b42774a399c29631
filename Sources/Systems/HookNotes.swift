import DiskScripts
import HistoryTracking
import HistoryTypes
import Traces

/// A process's record of its hook calls, and the tasks that wait to repeat a failed pass.
///
/// Hooks and waiting tasks run on the thread that performs the plan's commands, so accesses never
/// overlap.
final class HookNotes: @unchecked Sendable {
  /// Transactions delivered to observers since the last `takeObserved()`, without adjacent repeats.
  private var observed: [Int64] = []
  /// The transactions for which a hook replaced the default merge since the last `takeFinished()`.
  private var finished: [Int64] = []
  /// The number of calls of each hook, by index.
  var callCounts: [Int: Int] = [:]
  /// Whether the plan's faults are disabled: hooks then neither throw nor replace the default merge.
  var hasRecovered = false
  private var sleepers: [CheckedContinuation<Void, any Error>] = []

  /// Records that an observer received a transaction.
  func note(_ number: Int64) {
    if observed.last != number { observed.append(number) }
  }

  /// Removes and returns the transactions delivered to observers.
  func takeObserved() -> [Int64] {
    defer { observed.removeAll() }
    return observed
  }

  /// Records that a merge hook replaced the default merge of transactions.
  func noteFinished(_ numbers: [Int64]) { finished += numbers }

  /// Removes and returns the transactions for which a hook replaced the default merge.
  func takeFinished() -> [Int64] {
    defer { finished.removeAll() }
    return finished
  }

  /// Counts a call of a hook, and throws ``PlannedError`` if the plan makes this call fail.
  func call(_ hook: PlannedHook, _ index: Int) throws {
    if fails(hook, index) { throw PlannedError() }
  }

  /// Counts a call of a hook, and returns whether this call must throw or replace the default merge.
  func fails(_ hook: PlannedHook, _ index: Int) -> Bool {
    callCounts[index, default: 0] += 1
    return !hasRecovered && hook.fails(at: callCounts[index, default: 0])
  }

  /// Adds the call counts to `state`, because they decide which of the next hook calls fail.
  func describe(_ state: inout StateSketch) {
    for (hook, count) in callCounts.sorted(by: { $0.key < $1.key }) {
      state.add(hook)
      state.add(count % PlannedHook.period)
    }
  }

  // MARK: Pauses

  /// Suspends the current task until `wake(_:)` is called.
  func sleep() async throws {
    try await withCheckedThrowingContinuation { sleepers.append($0) }
  }

  /// Whether a failed pass is waiting to be repeated.
  var isAsleep: Bool { !sleepers.isEmpty }

  /// Resumes all tasks that `sleep()` has suspended.
  ///
  /// If `outcome` is a failure, `sleep()` throws its error. ``TrackerEngine/end()`` passes a
  /// failure, because the simulated process then ends.
  func wake(_ outcome: Result<Void, any Error> = .success(())) {
    let waiting = sleepers
    sleepers.removeAll()
    for sleeper in waiting { sleeper.resume(with: outcome) }
  }
}

/// The error that a hook throws in a call that must fail according to the plan.
struct PlannedError: Error, CustomStringConvertible {
  var description: String { "the plan makes this call of the hook fail" }
}

extension PlannedHook {
  /// The body of an observer.
  typealias ObserverCall = @Sendable ([HookContext]) throws -> Void
  /// The body of a merge hook.
  typealias MergeCall = @Sendable (MergeHookInput) throws -> MergeHookResult

  /// A hook's body in one of the two forms that `HistoryTracker` registers.
  enum Registered {
    /// The body of an observer, which a tracker registers for every operation on every entity.
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
        guard notes.fails(self, index) else { return .proceed }
        notes.noteFinished(input.transactions.map(\.number.rawValue))
        return .finish
      }
    case .retry, .skip, .retryAlternating, .skipAlternating:
      .mergeHook(self == .skip || self == .skipAlternating ? .skip : .retry) { _ in
        try notes.call(self, index)
        return .proceed
      }
    }
  }
}

extension HookNotes {
  /// Records that an observer received a group of changes, which are of one transaction.
  fileprivate func note(_ group: [HookContext]) {
    if let context = group.first { note(context.transaction.number.rawValue) }
  }
}
