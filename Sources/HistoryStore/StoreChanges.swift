public import PersistentHistory

/// The newest positions of a store, as an asynchronous sequence.
///
/// A consumer that is slower than the commits receives only the newest position, so a loop that
/// fetches new history in each iteration misses no transaction and accumulates no backlog.
public struct StoreChanges: AsyncSequence, Sendable {
  /// A position of the store.
  public typealias Element = HistoryToken
  /// The sequence ends without an error.
  public typealias Failure = Never

  private let stream: AsyncStream<HistoryToken>

  init(_ store: Store) throws(HistoryError) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: HistoryToken.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let watch = try store.watch { token in continuation.yield(token) }
    continuation.onTermination = { _ in watch.cancel() }
    self.stream = stream
  }

  /// Creates the iterator, which only one task at a time may use.
  public func makeAsyncIterator() -> AsyncStream<HistoryToken>.Iterator {
    stream.makeAsyncIterator()
  }
}

extension Store {
  /// The positions after commits to the store by any process from now on, newest only.
  ///
  /// ```swift
  /// for await token in try store.changes { print(token) }
  /// ```
  ///
  /// Each access starts its own watch, as ``watch(_:)`` describes. It lasts until its task is
  /// cancelled or the last reference to the sequence is released, and keeps the store open.
  ///
  /// - Throws: the errors of ``watch(_:)``.
  public var changes: StoreChanges {
    get throws(HistoryError) { try StoreChanges(self) }
  }
}
