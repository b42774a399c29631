import HistoryStore
import HistoryTypes

extension HistoryTracker {
  /// Starts the task that waits for signals and runs passes; ``Following`` decides when.
  ///
  /// The task retains the tracker only during a pass, so that the tracker can be released in
  /// between.
  func follow(
    _ signals: any AsyncSequence<HistoryToken, Never> & Sendable,
    _ first: Following
  ) {
    let sleep = configuration.clock.sleep
    following = Task(executorPreference: configuration.executor) { [weak self] in
      var following = first
      var iterator = signals.makeAsyncIterator()
      while !Task.isCancelled {
        var token: HistoryToken?
        if case .pause(let pause) = following.next {
          do { try await sleep(pause) } catch {
            following.passed(nil)
            continue
          }
        } else {
          token = await iterator.next(isolation: nil)
          if token == nil { return }
        }
        guard let next = await self?.passIfDue(following, after: token) else { return }
        following = next
      }
    }
  }

  /// Runs a pass if one is due, after a signal or, if `signal` is `nil`, after the pause before a retry.
  private func passIfDue(_ following: Following, after signal: HistoryToken?) async -> Following {
    // The tracker may have been stopped while the signal waited for access to the actor.
    guard !Task.isCancelled else { return following }
    var following = following
    if let signal { following.signalled(isNews: core.isNews(signal)) } else { following.paused() }
    guard following.next == .pass else { return following }
    switch await sharedPass(launching: false) {
    case .success: following.passed(nil)
    case .failure(let error): following.passed(error)
    }
    return following
  }

  /// Starts the tracker in a separate task; errors are stored in ``failure``.
  nonisolated func startAlone() {
    let sleep = configuration.clock.sleep
    Task(executorPreference: configuration.executor) { [weak self] in
      let failure = await self?.startKeepingFailure()
      await Self.repeatedly(sleep, after: failure) { await self?.startKeepingFailure() }
    }
  }

  /// Retries a failed start, after increasing delays, as long as the error may be temporary.
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

  /// Starts the tracker, and returns the error if the tracker did not start.
  ///
  /// Has no effect if the tracker is already started, or was stopped before.
  private func startKeepingFailure() async -> HistoryError? {
    guard following == nil, stopCount == 0 else { return nil }
    do throws(HistoryError) {
      try await start()
    } catch {
      core.failure = error
      guard following == nil else { return nil }
      core.log.write(.error, "did not start: \(error)")
      return error
    }
    return nil
  }
}

/// Sends the report of each pass to all listeners, until the tracker is released.
///
/// Each tracker has one broadcast. A broadcast is not safe for concurrent use.
final class PassBroadcast {
  /// The maximum number of reports buffered for a slow listener; the oldest are dropped.
  private static let waitingCountMax = 100

  private var listeners: [AsyncStream<PassReport>.Continuation] = []

  deinit {
    for listener in listeners { listener.finish() }
  }

  /// Returns a stream of the reports of all passes that finish after the call.
  func listen() -> AsyncStream<PassReport> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PassReport.self,
      bufferingPolicy: .bufferingNewest(Self.waitingCountMax)
    )
    listeners.append(continuation)
    return stream
  }

  /// Sends a report to all listeners, and removes those that have stopped listening.
  func send(_ report: PassReport) {
    listeners.removeAll { listener in
      if case .terminated = listener.yield(report) { return true }
      return false
    }
  }
}

/// A sequence of the reports of a tracker's passes, including failed passes.
///
/// The sequence contains the passes that finish after its creation, and ends when the tracker is
/// released.
public struct PassReports: AsyncSequence, Sendable {
  /// The report of one pass.
  public typealias Element = PassReport
  /// The sequence finishes without an error.
  public typealias Failure = Never

  let stream: AsyncStream<PassReport>

  /// Returns an iterator over the reports; only one task may iterate at a time.
  public func makeAsyncIterator() -> AsyncStream<PassReport>.Iterator {
    stream.makeAsyncIterator()
  }
}

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
  /// The pass that starts when the running operation ends, if one was requested.
  var next: Request?

  /// The number of callers that wait for the running operation or share the next pass.
  var waitingCount: Int { waiting.count + (next?.waiting.count ?? 0) }

  /// Marks an operation as running, or returns `false` if another operation is already running.
  mutating func begin() -> Bool {
    defer { isBusy = true }
    return !isBusy
  }

  /// Adds a caller to the end of the queue.
  mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
    waiting.append(continuation)
  }

  /// Ends the running operation, and resumes the caller that has waited longest, if any.
  mutating func end() {
    if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
  }
}
