import HistoryStore
import PersistentHistory

extension HistoryTracker {
  /// Runs a pass for each signal, after first retrying the pass that has just failed, if any.
  func follow(
    _ signals: any AsyncSequence<HistoryToken, Never> & Sendable,
    after failure: HistoryError? = nil
  ) {
    let sleep = configuration.clock.sleep
    following = Task(executorPreference: configuration.executor) { [weak self] in
      await Self.repeatedly(sleep, after: failure) { await self?.passAfterSignal() }
      for await token in signals {
        let failure = await self?.passAfterSignal(of: token)
        await Self.repeatedly(sleep, after: failure) { await self?.passAfterSignal() }
      }
    }
  }

  /// Starts the tracker in a separate task; errors are stored in ``failure``.
  nonisolated func startAlone() {
    let sleep = configuration.clock.sleep
    Task(executorPreference: configuration.executor) { [weak self] in
      let failure = await self?.startKeepingFailure()
      await Self.repeatedly(sleep, after: failure) { await self?.startKeepingFailure() }
    }
  }

  /// Retries a failed attempt, after increasing delays, while its error may resolve by itself.
  ///
  /// The tracker is retained only during an attempt, so that it can be released during a delay.
  private static func repeatedly(
    _ sleep: @Sendable (Duration) async throws -> Void,
    after failure: HistoryError?,
    _ attempt: () async -> HistoryError?
  ) async {
    var repetition = Repetition()
    var last = failure
    while let pause = repetition.pause(after: last) {
      do { try await sleep(pause) } catch { return }
      last = await attempt()
    }
  }

  private func passAfterSignal(of token: HistoryToken? = nil) async -> HistoryError? {
    // The tracker may have been stopped while the signal waited for it.
    guard !Task.isCancelled else { return nil }
    if let token, !core.isNews(token) { return nil }
    guard case .failure(let error) = await sharedPass(launching: false) else { return nil }
    return error
  }

  /// Starts the tracker, unless it was started or stopped in the meantime.
  private func startKeepingFailure() async -> HistoryError? {
    guard following == nil, stopCount == 0 else { return nil }
    do throws(HistoryError) {
      try await start()
    } catch {
      core.failure = error
      guard following == nil else { return nil }
      core.log.event(.error, "did not start: \(error)")
      return error
    }
    return nil
  }
}
