import HistoryStore
import PersistentHistory

extension HistoryTracker {
  /// How long to wait before the first repetition of a pass that failed; each next one waits twice as
  /// long, up to the last.
  private static let firstPause = Duration.milliseconds(50)
  private static let lastPause = Duration.seconds(30)

  /// Makes a pass for each signal from here on, and before that the one that has just failed, if so.
  func follow(
    _ signals: any AsyncSequence<HistoryToken, Never> & Sendable,
    afterFailure: Bool = false
  ) {
    let sleep = configuration.clock.sleep
    following = Task(executorPreference: configuration.executor) { [weak self] in
      if afterFailure {
        await Self.repeatedly(sleep, afterFailure: true) { await self?.passAfterSignal() }
      }
      for await token in signals {
        await Self.repeatedly(sleep) { await self?.passAfterSignal(of: token) }
      }
    }
  }

  /// Starts from a task of its own; nobody waits for it, so what goes wrong is kept.
  nonisolated func startAlone() {
    let sleep = configuration.clock.sleep
    Task(executorPreference: configuration.executor) { [weak self] in
      await Self.repeatedly(sleep) { await self?.startKeepingFailure() }
    }
  }

  /// Does what may fail, and repeats it while it fails from a cause that may go away by itself; what
  /// only the caller can mend waits until somebody asks again.
  ///
  /// The tracker is held during an attempt only, so that it may go away in a pause.
  private static func repeatedly(
    _ sleep: @Sendable (Duration) async throws -> Void,
    afterFailure: Bool = false,
    _ attempt: () async -> HistoryError?
  ) async {
    var pause = firstPause
    var isFailing = afterFailure
    repeat {
      if isFailing {
        do { try await sleep(pause) } catch { return }
        pause = min(pause * 2, lastPause)
      }
      isFailing = await attempt()?.mayGoAway ?? false
    } while isFailing
  }

  private func passAfterSignal(of token: HistoryToken? = nil) async -> HistoryError? {
    // The signal may have waited for the actor while that was stopped.
    guard !Task.isCancelled else { return nil }
    // One that comes late tells of what an earlier pass has found by itself.
    if let token, failure == nil, session?.recordedThrough == token { return nil }
    guard case .failure(let error) = await sharedPass(launching: false) else { return nil }
    return error
  }

  /// Starts, unless that was done or undone meanwhile.
  private func startKeepingFailure() async -> HistoryError? {
    guard following == nil, stopCount == 0 else { return nil }
    do throws(HistoryError) {
      try await start()
    } catch {
      failure = error
      guard following == nil else { return nil }
      log.event(.error, "did not start: \(error)")
      return error
    }
    return nil
  }
}

extension HistoryError {
  /// Whether the same request may succeed later without anybody asking for anything else.
  var mayGoAway: Bool {
    switch self {
    case .hookFailed, .stopped, .conflict: true
    default: isBusy || isFull || isInputOutput
    }
  }
}
