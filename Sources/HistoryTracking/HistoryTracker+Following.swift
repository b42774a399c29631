import HistoryStore

extension HistoryTracker {
  /// How long to wait before the first repetition of a pass that failed; each next one waits twice as
  /// long, up to the last.
  private static let firstPause = Duration.milliseconds(50)
  private static let lastPause = Duration.seconds(30)

  /// Makes the pass that a signal asks for, and repeats it while it fails from a cause that may go
  /// away by itself; what only the caller can mend waits for the next signal.
  ///
  /// The tracker is held during a pass only, so that it may go away in a pause.
  static func follow(_ tracker: @autoclosure () -> HistoryTracker?) async {
    var pause = firstPause
    while let failure = await tracker()?.passAfterSignal(), failure.mayGoAway {
      do { try await Task.sleep(for: pause) } catch { return }
      pause = min(pause * 2, lastPause)
    }
  }
}

extension HistoryError {
  /// Whether the same request may succeed later without anybody doing anything about it.
  fileprivate var mayGoAway: Bool { isBusy || isFull || isInputOutput }
}
