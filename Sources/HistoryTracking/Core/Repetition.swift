package import HistoryStore

/// The delays before retries of a failed pass, for errors that may resolve without intervention.
package struct Repetition: Sendable {
  /// The delay before the first retry; each further delay doubles, up to `lastPause`.
  private static let firstPause = Duration.milliseconds(50)
  private static let lastPause = Duration.seconds(30)

  private var nextPause = firstPause

  package init() {}

  /// Returns the delay before the next attempt, or `nil` if the pass is not retried.
  ///
  /// Errors that only the caller can fix are not retried.
  package mutating func pause(after error: HistoryError?) -> Duration? {
    guard let error, error.mayGoAway else { return nil }
    defer { nextPause = min(nextPause * 2, Self.lastPause) }
    return nextPause
  }
}

extension HistoryError {
  /// A Boolean value that indicates whether the error may resolve without intervention.
  package var mayGoAway: Bool {
    switch self {
    case .hookFailed, .stopped, .conflict: true
    default: isBusy || isFull || isInputOutput
    }
  }
}
