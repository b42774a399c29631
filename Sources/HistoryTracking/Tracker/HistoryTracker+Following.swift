import HistoryStore
import PersistentHistory

extension HistoryTracker {
  /// How long to wait before the first repetition of a pass that failed; each next one waits twice as
  /// long, up to the last.
  private static let firstPause = Duration.milliseconds(50)
  private static let lastPause = Duration.seconds(30)

  /// Makes a pass for each signal from here on.
  func follow(_ signals: any AsyncSequence<HistoryToken, Never> & Sendable) {
    let sleep = configuration.clock.sleep
    following = Task(executorPreference: configuration.executor) { [weak self] in
      for await _ in signals { await Self.passRepeatedly(self, sleep) }
    }
  }

  /// Starts from a task of its own; nobody waits for it, so what goes wrong is kept.
  nonisolated func startAlone() {
    Task(executorPreference: configuration.executor) { [weak self] in
      await self?.startKeepingFailure()
    }
  }

  private func startKeepingFailure() async {
    do throws(HistoryError) {
      try await start()
    } catch {
      failure = error
      log.event(.error, "did not start: \(error)")
    }
  }

  /// Makes the pass that a signal asks for, and repeats it while it fails from a cause that may go
  /// away by itself; what only the caller can mend waits for the next signal.
  ///
  /// The tracker is held during a pass only, so that it may go away in a pause.
  private static func passRepeatedly(
    _ tracker: @autoclosure () -> HistoryTracker?,
    _ sleep: @Sendable (Duration) async throws -> Void
  ) async {
    var pause = firstPause
    while let failure = await tracker()?.passAfterSignal(), failure.mayGoAway {
      do { try await sleep(pause) } catch { return }
      pause = min(pause * 2, lastPause)
    }
  }

  private func passAfterSignal() async -> HistoryError? {
    // The signal may have waited for the actor while that was stopped.
    guard !Task.isCancelled else { return nil }
    guard case .failure(let error) = await sharedPass(launching: false) else { return nil }
    return error
  }
}

extension HistoryError {
  /// Whether the same request may succeed later without anybody asking for anything else.
  fileprivate var mayGoAway: Bool {
    switch self {
    case .hookFailed, .stopped, .conflict: true
    default: isBusy || isFull || isInputOutput
    }
  }
}
