/// What each pass of a tracker did, one after the other, failed ones included, from the moment it was
/// asked for until the tracker is gone.
public struct PassReports: AsyncSequence, Sendable {
  /// What one pass did.
  public typealias Element = PassReport
  /// Listening ends, it does not fail.
  public typealias Failure = Never

  let stream: AsyncStream<PassReport>

  /// Waits for reports; one task at a time does.
  public func makeAsyncIterator() -> AsyncStream<PassReport>.Iterator {
    stream.makeAsyncIterator()
  }
}
