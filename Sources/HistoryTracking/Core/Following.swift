package import HistoryStore

/// The state machine of a started tracker: when it waits for a signal, pauses, and runs a pass.
///
/// The value does not wait itself. The code that drives the tracker, such as the actor
/// ``HistoryTracker``, performs the action in ``next`` and reports the outcome.
package struct Following: Hashable, Sendable {
  /// An action for the code that drives a started tracker.
  package enum Step: Hashable, Sendable {
    /// Waits for a signal, and then calls ``signalled(isNews:)``.
    case wait
    /// Waits for a duration, and then calls ``paused()``.
    case pause(Duration)
    /// Runs a pass, which merges new history, and then calls ``passed(_:)``.
    case pass
  }

  /// The next action for the code that drives the tracker, such as the actor ``HistoryTracker``.
  package private(set) var next: Step
  private var repetition = Repetition()

  /// Creates the state after the first pass; `nil` if the tracker must not start.
  ///
  /// The tracker must not start if the member was not launched, or if the pass failed with an error
  /// that cannot resolve without intervention. After any other failure, the first action is a
  /// pause, and then the pass is repeated. After a successful pass, the first action is to wait for
  /// a signal.
  package init?(afterLaunch failure: HistoryError?, isLaunched: Bool) {
    guard isLaunched else { return nil }
    if let failure, !failure.mayGoAway { return nil }
    next = .wait
    passed(failure)
  }

  /// Notes a signal; a pass follows if `isNews`, that is, if the signal requires a pass.
  package mutating func signalled(isNews: Bool) { next = isNews ? .pass : .wait }

  /// Notes the end of a pause; the failed pass is then repeated.
  package mutating func paused() { next = .pass }

  /// Notes the end of a pass; the pass is repeated after an error that may resolve by itself.
  package mutating func passed(_ failure: HistoryError?) {
    if let pause = repetition.pause(after: failure) {
      next = .pause(pause)
    } else {
      (next, repetition) = (.wait, Repetition())
    }
  }
}

/// The delays before retries of a failed pass, for errors that may resolve without intervention.
package struct Repetition: Hashable, Sendable {
  /// The delay before the first retry; each further delay doubles, up to `lastPause`.
  private static let firstPause = Duration.milliseconds(50)
  private static let lastPause = Duration.seconds(30)

  private var nextPause = firstPause

  package init() {}

  /// Returns the delay before the next attempt, or `nil` if the pass is not retried.
  ///
  /// A pass is not retried if it succeeded (`error` is `nil`), or if only the caller can fix the
  /// error.
  package mutating func pause(after error: HistoryError?) -> Duration? {
    guard let error, error.mayGoAway else { return nil }
    defer { nextPause = min(nextPause * 2, Self.lastPause) }
    return nextPause
  }
}

extension HistoryError {
  /// A Boolean value that indicates whether the error may resolve without intervention.
  package var mayGoAway: Bool {
    switch code {
    case .hookFailed, .stopped, .conflict: true
    case .unavailable: true
    default: isBusy || isFull || isInputOutput
    }
  }
}
