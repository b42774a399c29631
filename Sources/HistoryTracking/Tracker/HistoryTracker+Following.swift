import HistoryStore
import PersistentHistory

extension HistoryTracker {
  /// Makes a pass for each signal from here on, and before that the one that has just failed, if so.
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

  /// Starts from a task of its own; nobody waits for it, so what goes wrong is kept.
  nonisolated func startAlone() {
    let sleep = configuration.clock.sleep
    Task(executorPreference: configuration.executor) { [weak self] in
      let failure = await self?.startKeepingFailure()
      await Self.repeatedly(sleep, after: failure) { await self?.startKeepingFailure() }
    }
  }

  /// Repeats what has failed, after a pause, while it fails from a cause that may go away by itself.
  ///
  /// The tracker is held during an attempt only, so that it may go away in a pause.
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
    // The signal may have waited for the actor while that was stopped.
    guard !Task.isCancelled else { return nil }
    if let token, !core.isNews(token) { return nil }
    guard case .failure(let error) = await sharedPass(launching: false) else { return nil }
    return error
  }

  /// Starts, unless that was done or undone meanwhile.
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
