import HistoryStore

/// Serializes the passes of one tracker, and operations that must not run between their steps.
///
/// Actor isolation alone is not enough: other calls enter the actor while a hook is awaited.
struct PassQueue {
  /// A requested pass that has not started; further requests share it.
  final class Request {
    typealias Outcome = Result<PassReport, HistoryError>

    /// A Boolean value that indicates whether the pass launches the member if it is not running.
    var launches: Bool
    fileprivate var waiting: [CheckedContinuation<Outcome, Never>] = []

    init(launches: Bool) {
      self.launches = launches
    }

    /// Adds a caller that waits for the outcome of the pass.
    func add(_ continuation: CheckedContinuation<Outcome, Never>) {
      waiting.append(continuation)
    }

    /// Resumes all waiting callers with the outcome.
    func end(_ outcome: Outcome) {
      for continuation in waiting { continuation.resume(returning: outcome) }
    }
  }

  private var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// The next pass, which waits for its turn.
  var next: Request?

  /// The number of callers that wait for a turn, or share a pass that waits for one.
  var waitingCount: Int { waiting.count + (next?.waiting.count ?? 0) }

  /// Takes the turn, and returns `false` if another operation already has it.
  mutating func begin() -> Bool {
    defer { isBusy = true }
    return !isBusy
  }

  /// Adds a caller to the end of the queue.
  mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
    waiting.append(continuation)
  }

  /// Hands the turn to the caller that has waited longest, if any.
  mutating func end() {
    if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
  }
}
