import Foundation
import HistoryStore
import HistoryTypes

/// Signals of a store that a test sends; those that nobody has taken become one, as a store's do.
final class Signals: @unchecked Sendable {
  private let lock = NSLock()
  private var continuation: AsyncStream<HistoryToken>.Continuation?

  /// What a tracker follows from now on.
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
