import HistoryStore
import PersistentHistory

/// Signals of a store that a test sends; those that nobody has taken become one, as a store's do.
final class Signals: Sendable {
  private let stream: AsyncStream<HistoryToken>
  private let continuation: AsyncStream<HistoryToken>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// What a tracker follows.
  var source:
    @Sendable (Store) throws(HistoryError) -> any AsyncSequence<HistoryToken, Never> & Sendable
  {
    { [stream] _ in stream }
  }

  func send() {
    continuation.yield(.beginning(of: StoreID(UUID())))
  }
}
