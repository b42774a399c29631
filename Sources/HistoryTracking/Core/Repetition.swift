package import HistoryStore

/// When a pass that failed is made again: after longer and longer pauses, while its cause may go away
/// by itself.
package struct Repetition: Sendable {
  /// How long to wait before the first repetition; each next one waits twice as long, up to the last.
  private static let firstPause = Duration.milliseconds(50)
  private static let lastPause = Duration.seconds(30)

  private var nextPause = firstPause

  package init() {}

  /// The pause before the next attempt, or nothing when there is to be none: what only the caller can
  /// mend waits until somebody asks again.
  package mutating func pause(after error: HistoryError?) -> Duration? {
    guard let error, error.mayGoAway else { return nil }
    defer { nextPause = min(nextPause * 2, Self.lastPause) }
    return nextPause
  }
}

extension HistoryError {
  /// Whether the same request may succeed later without anybody asking for anything else.
  package var mayGoAway: Bool {
    switch self {
    case .hookFailed, .stopped, .conflict: true
    default: isBusy || isFull || isInputOutput
    }
  }
}
