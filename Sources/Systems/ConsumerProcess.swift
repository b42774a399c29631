import HistoryStore
import PersistentHistory

/// A consumer of a plan: a mirror or an index that reads history and keeps its token.
final class ConsumerProcess {
  private let store: Store
  /// The launch that the registry knows.
  private(set) var registration: Registration
  /// The position through which it has read.
  private(set) var token: HistoryToken

  /// Registers the consumer, or takes up its token: the later of what the store and it itself kept.
  init(
    _ id: ActorID,
    on store: Store,
    keeping own: HistoryToken? = nil
  ) throws(HistoryError) {
    self.store = store
    registration = try store.join(id, kind: .consumer)
    let recorded = registration.cursor
    token = own.flatMap { $0.number > recorded.number ? $0 : nil } ?? recorded
  }

  /// Where the consumer stands in this history: where the store says, when the transaction that its
  /// token lies behind is none of this history any more.
  func knownToken() throws(HistoryError) -> HistoryToken {
    let page = try store.fetch(HistoryRequest(after: registration.cursor))
    let isKnown = page.transactions.contains { $0.token == token }
    return isKnown ? token : registration.cursor
  }

  /// What the process has in memory.
  struct Memory {
    let registration: Registration
    let token: HistoryToken
    /// What its connection remembers of the file.
    let store: StoreKnowledge
  }

  /// What the process has in memory now.
  func memory() throws(HistoryError) -> Memory {
    Memory(registration: registration.released, token: token, store: try store.knowledge())
  }

  /// Puts the process back as it was, on a store that was put back.
  init(_ memory: Memory, on store: Store) throws(HistoryError) {
    self.store = store
    try store.recall(memory.store)
    registration = try store.holding(memory.registration)
    token = memory.token
  }

  /// Reads everything that is new, and then keeps its token.
  ///
  /// - Returns: the numbers of the transactions that it read.
  func consume() throws(HistoryError) -> [Int64] {
    var numbers: [Int64] = []
    var request = HistoryRequest(after: token)
    var page: HistoryPage
    repeat {
      page = try store.fetch(request, by: registration)
      numbers += page.transactions.map(\.number)
      request = request.next(after: page)
    } while page.hasMore
    // What was read counts once its position is kept: a consumer that fails before reads it again.
    try store.record(registration, through: page.scannedThrough)
    token = page.scannedThrough
    return numbers
  }

  /// Starts anew at the head, after its history was lost.
  func resync() throws(HistoryError) -> HistoryToken {
    registration = try store.resync(registration)
    token = registration.cursor
    return token
  }
}
