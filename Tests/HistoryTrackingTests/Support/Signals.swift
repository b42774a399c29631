import Foundation
import HistoryStore
import HistoryTypes

/// Signals that a test sends; unread ones coalesce into one, as with a store's signals.
final class Signals: @unchecked Sendable {
  private let lock = NSLock()
  private var continuation: AsyncStream<HistoryToken>.Continuation?

  /// The signal source for a tracker.
  var source:
    @Sendable (Store) throws(HistoryError) -> any AsyncSequence<HistoryToken, Never> & Sendable
  {
    { [self] _ in
      let (stream, continuation) = AsyncStream.makeStream(
        of: HistoryToken.self,
        bufferingPolicy: .bufferingNewest(1)
      )
      lock.withLock { self.continuation = continuation }
      return stream
    }
  }

  func send() {
    _ = lock.withLock { continuation?.yield(.beginning(of: StoreID(UUID()))) }
  }
}
