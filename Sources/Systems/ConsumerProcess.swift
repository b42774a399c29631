import HistoryStore
import HistoryTypes

/// A consumer of a plan: a mirror or an index that reads history and keeps its token.
final class ConsumerProcess {
  let store: Store
  /// The consumer's current launch in the registry.
  var registration: Registration
  /// The position up to which the consumer has read.
  var token: HistoryToken

  /// Registers the consumer, or continues from its recorded token or its own one, whichever is later.
  init(
    _ id: MemberID,
    on store: Store,
    keeping own: HistoryToken? = nil
  ) throws(HistoryError) {
    self.store = store
    registration = try store.join(id, kind: .consumer)
    let recorded = registration.cursor
    token = own.flatMap { $0.number > recorded.number ? $0 : nil } ?? recorded
  }

  /// Returns the consumer's token if its transaction is still in this history.
  ///
  /// If the transaction is missing, returns the cursor that the store recorded.
  func knownToken() throws(HistoryError) -> HistoryToken {
    let page = try store.fetch(HistoryRequest(after: registration.cursor))
    let isKnown = page.transactions.contains { $0.token == token }
    return isKnown ? token : registration.cursor
  }

  /// A snapshot of the process's memory.
  struct Snapshot {
    let registration: Registration
    let token: HistoryToken
    /// The cached state of its store connection.
    let store: CachedFileState
  }

  /// Returns a snapshot of the process's memory.
  func snapshot() throws(HistoryError) -> Snapshot {
    Snapshot(registration: registration.released, token: token, store: try store.cachedState())
  }

  /// Restores the process from a snapshot, on a store that was restored too.
  init(_ snapshot: Snapshot, on store: Store) throws(HistoryError) {
    self.store = store
    try store.restore(snapshot.store)
    registration = try store.holding(snapshot.registration)
    token = snapshot.token
  }

  /// Reads all new transactions, then records the token.
  ///
  /// - Returns: the numbers of the transactions that were read.
  func consume() throws(HistoryError) -> [Int64] {
    var numbers: [Int64] = []
    var request = HistoryRequest(after: token)
    var page: HistoryPage
    repeat {
      page = try store.fetch(request, by: registration)
      numbers += page.transactions.map(\.number.rawValue)
      request = request.next(after: page)
    } while page.hasMore
    // The token is recorded after reading: a consumer that fails while reading reads the page again.
    try store.record(registration, through: page.scannedThrough)
    token = page.scannedThrough
    return numbers
  }

  /// Restarts at the newest position, after the consumer's history was lost.
  func resync() throws(HistoryError) -> HistoryToken {
    registration = try store.resync(registration)
    token = registration.cursor
    return token
  }
}
