import HistoryStore

/// Lets the passes of one tracker, and what must not come between their steps, run one at a time.
///
/// An actor alone does not: while a hook is awaited, other calls enter it.
struct PassQueue {
  /// A pass that was asked for and has not begun: whoever asks for one meanwhile shares it.
  final class Request {
    typealias Outcome = Result<PassReport, HistoryError>

    /// Whether it launches the actor, or leaves one alone that was stopped meanwhile.
    var launches: Bool
    fileprivate var waiting: [CheckedContinuation<Outcome, Never>] = []

    init(launches: Bool) {
      self.launches = launches
    }

    /// Adds somebody who is told what the pass did.
    func add(_ continuation: CheckedContinuation<Outcome, Never>) {
      waiting.append(continuation)
    }

    /// Tells everybody what it did.
    func end(_ outcome: Outcome) {
      for continuation in waiting { continuation.resume(returning: outcome) }
    }
  }

  private var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// The pass that begins when it is its turn.
  var next: Request?

  /// How many wait for a turn, or share one that somebody waits for.
  var waitingCount: Int { waiting.count + (next?.waiting.count ?? 0) }

  /// Takes the turn, if nobody has it.
  mutating func begin() -> Bool {
    defer { isBusy = true }
    return !isBusy
  }

  /// Lets somebody wait for the turn.
  mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
    waiting.append(continuation)
  }

  /// Hands the turn to whoever has waited longest.
  mutating func end() {
    if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
  }
}
