import PersistentHistory
import Traces

/// What the hooks of one process were told, what its passes did, and who waits to repeat one.
///
/// It is touched by the tasks of one ``InlineExecutor`` and by whoever runs that, on one thread.
final class HookNotes: @unchecked Sendable {
  /// The transactions that observers were told of since somebody looked, each once in a row.
  private var observed: [Int64] = []
  /// The transactions whose merge a hook has finished since somebody looked.
  private var finished: [Int64] = []
  /// How often each hook was called.
  var callCounts: [Int: Int] = [:]
  /// Whether no hook throws any more.
  var isHealed = false
  private var sleepers: [CheckedContinuation<Void, any Error>] = []

  /// Notes that an observer was told of a transaction.
  func note(_ number: Int64) {
    if observed.last != number { observed.append(number) }
  }

  /// What was told since the last time that somebody asked.
  func takeObserved() -> [Int64] {
    defer { observed.removeAll() }
    return observed
  }

  /// Notes that a merge hook finished the merge of some transactions.
  func noteFinished(_ numbers: [Int64]) { finished += numbers }

  /// What was finished since the last time that somebody asked.
  func takeFinished() -> [Int64] {
    defer { finished.removeAll() }
    return finished
  }

  /// Counts a call of a hook that throws.
  func call(_ hook: PlannedHook, _ index: Int) throws {
    if isTrouble(hook, index) { throw PlannedTrouble() }
  }

  /// Counts a call of a hook, and answers whether it is one of those that the plan makes special.
  func isTrouble(_ hook: PlannedHook, _ index: Int) -> Bool {
    callCounts[index, default: 0] += 1
    return !isHealed && hook.isTrouble(at: callCounts[index, default: 0])
  }

  /// Adds what the next call of each hook depends on.
  func describe(_ state: inout StateSketch) {
    for (hook, count) in callCounts.sorted(by: { $0.key < $1.key }) {
      state.add(hook)
      state.add(count % PlannedHook.period)
    }
  }

  // MARK: Pauses

  /// Waits until somebody wakes the sleepers.
  func sleep() async throws {
    try await withCheckedThrowingContinuation { sleepers.append($0) }
  }

  /// Whether a failed pass waits to be repeated.
  var isAsleep: Bool { !sleepers.isEmpty }

  /// Ends every pause, by an error where the process ends.
  func wake(_ outcome: Result<Void, any Error> = .success(())) {
    let waiting = sleepers
    sleepers.removeAll()
    for sleeper in waiting { sleeper.resume(with: outcome) }
  }
}

/// What a hook throws because its plan says so.
struct PlannedTrouble: Error, CustomStringConvertible {
  var description: String { "the plan wants this call to fail" }
}
