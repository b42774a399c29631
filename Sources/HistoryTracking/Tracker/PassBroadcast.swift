/// Sends the report of each pass to all listeners, until the tracker is released.
///
/// It belongs to one tracker and is not safe for concurrent use.
final class PassBroadcast {
  /// The maximum number of reports buffered for a slow listener; the oldest are dropped.
  private static let waitingCountMax = 100

  private var listeners: [AsyncStream<PassReport>.Continuation] = []

  deinit {
    for listener in listeners { listener.finish() }
  }

  /// Returns a stream of the reports of all passes from now on.
  func listen() -> AsyncStream<PassReport> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PassReport.self,
      bufferingPolicy: .bufferingNewest(Self.waitingCountMax)
    )
    listeners.append(continuation)
    return stream
  }

  /// Sends a report to all listeners, and removes those that have stopped listening.
  func tell(_ report: PassReport) {
    listeners.removeAll { listener in
      if case .terminated = listener.yield(report) { return true }
      return false
    }
  }
}
