/// Tells everybody who listens what each pass did, until the tracker is gone.
///
/// It belongs to one tracker, which alone touches it.
final class PassBroadcast {
  /// How many reports wait for a slow listener; older ones are dropped.
  private static let waitingCountMax = 100

  private var listeners: [AsyncStream<PassReport>.Continuation] = []

  deinit {
    for listener in listeners { listener.finish() }
  }

  /// The reports of the passes from here on.
  func listen() -> AsyncStream<PassReport> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PassReport.self,
      bufferingPolicy: .bufferingNewest(Self.waitingCountMax)
    )
    listeners.append(continuation)
    return stream
  }

  /// Tells what a pass did; who does not listen any more is forgotten.
  func tell(_ report: PassReport) {
    listeners.removeAll { listener in
      if case .terminated = listener.yield(report) { return true }
      return false
    }
  }
}
