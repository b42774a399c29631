public import PersistentHistory

/// The newest positions of a store, one after the other, as commits move it.
///
/// Whoever is slower than the commits finds only the newest position, so a loop that fetches what is
/// new in each round misses nothing and falls behind by nothing.
public struct StoreChanges: AsyncSequence, Sendable {
  /// A position of the store.
  public typealias Element = HistoryToken
  /// Watching ends, it does not fail.
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

  /// Waits for positions; one task at a time does.
  public func makeAsyncIterator() -> AsyncStream<HistoryToken>.Iterator {
    stream.makeAsyncIterator()
  }
}

extension Store {
  /// The commits to the store from here on, from whichever process, as a sequence of the newest
  /// positions.
  ///
  /// ```swift
  /// for await token in try store.changes { print(token) }
  /// ```
  ///
  /// Each is a watch of its own, as ``watch(_:)`` describes; it lasts until its task is cancelled or
  /// nobody holds the sequence any more, and keeps the store open.
  ///
  /// - Throws: as ``watch(_:)``.
  public var changes: StoreChanges {
    get throws(HistoryError) { try StoreChanges(self) }
  }
}
