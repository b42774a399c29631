/// A sequence of the reports of a tracker's passes, including failed ones.
///
/// It starts at the moment of its creation, and ends when the tracker is released.
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
