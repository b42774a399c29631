import PersistentHistory

/// What the hooks of one process were told, what its passes did, and who waits to repeat one.
///
/// It is touched by the tasks of one ``InlineExecutor`` and by whoever runs that, on one thread.
final class HookNotes: @unchecked Sendable {
  /// The transactions that observers were told of since somebody looked, each once in a row.
  private var observed: [Int64] = []
  private var callCounts: [Int: Int] = [:]
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

  /// Counts a call of a hook that throws at every third.
  func call(_ hook: Int) throws {
    if isThird(hook) { throw PlannedTrouble() }
  }

  /// Counts a call of a hook, and answers whether it is one of those that the plan makes special.
  func isThird(_ hook: Int) -> Bool {
    callCounts[hook, default: 0] += 1
    return !isHealed && callCounts[hook, default: 0].isMultiple(of: 3)
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
