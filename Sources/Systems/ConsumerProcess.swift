import HistoryStore
import HistoryTracking
import HistoryTypes
import Traces

/// The process of a plan's consumer, such as a mirror, which reads history without contexts.
final class ConsumerProcess {
  let store: Store
  /// The consumer's entry in the store's registry of members, for this launch.
  var registration: Registration
  /// The position up to which the consumer has read.
  var token: HistoryToken

  /// Registers the consumer, and sets its token.
  ///
  /// `own` is the token that the consumer has stored outside the store file, if any. The token is
  /// the later one of `own` and the consumer's cursor in the registry.
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

  /// Returns the consumer's token if history still contains the token's transaction.
  ///
  /// Otherwise returns the cursor that the registry contained when the consumer was launched.
  func knownToken() throws(HistoryError) -> HistoryToken {
    let page = try store.fetch(HistoryRequest(after: registration.cursor))
    let isKnown = page.transactions.contains { $0.token == token }
    return isKnown ? token : registration.cursor
  }

  /// A snapshot of the process's memory.
  struct Snapshot {
    let registration: Registration
    let token: HistoryToken
    /// The cached state of the process's connection to the store.
    let store: CachedFileState
  }

  /// Returns a snapshot of the process's memory.
  func snapshot() throws(HistoryError) -> Snapshot {
    Snapshot(registration: registration.released, token: token, store: try store.cachedState())
  }

  /// Creates a process from a snapshot, on a store that is already restored to the snapshot's time.
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

extension ConsumerProcess {
  /// Reads history page by page, and logs each page and each position that the consumer confirms.
  ///
  /// The lab reads the confirmed positions from the store's registry of members, through a
  /// connection of its own.
  func read(
    _ reading: PlannedReading,
    on planStore: PlanStore,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    guard !reading.steps.isEmpty else { return try readAll(reading, on: planStore, &log) }
    // This process releases the consumer's lock, so that the process of the walk can acquire it.
    registration = registration.released
    let outcome: Result<Void, SystemFailure>
    do { outcome = .success(try walk(reading, on: planStore, &log)) } catch {
      outcome = .failure(error)
    }
    let (id, store) = (reading.consumer, store)
    registration = try mappingErrors { () throws(HistoryError) in
      try store.join(id, kind: .consumer)
    }
    token = registration.cursor
    try outcome.get()
  }

  /// Reads history page by page, and logs each page and the transactions that the consumer confirmed.
  ///
  /// If the plan names a page at which to stop, the closure that receives the pages throws there.
  private func readAll(
    _ reading: PlannedReading,
    on planStore: PlanStore,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    var pageCount = 0
    do throws(HistoryError) {
      try store.consume(
        registration,
        filter: reading.filter,
        pageTransactionCountMax: reading.page
      ) { page in
        try logConfirmed(reading.consumer, on: planStore, &log)
        log.add(reading.consumer, .received(page.transactions.map(planStore.committed)))
        pageCount += 1
        if pageCount == reading.stopsAt { throw PlannedStop() }
      }
    } catch {
      guard error.code == .stopped, pageCount == reading.stopsAt else { throw SystemFailure(error) }
    }
    try logConfirmed(reading.consumer, on: planStore, &log)
    let (store, registration) = (store, registration)
    token = try mappingErrors { () throws(HistoryError) in
      try store.recordedCursor(of: registration)
    }
  }

  /// Performs the plan's reading steps with a new process of the consumer (``ReadingWalk``).
  private func walk(
    _ reading: PlannedReading,
    on planStore: PlanStore,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    var walk = try ReadingWalk(reading, on: store, &log)
    for step in reading.steps {
      try walk.perform(step, on: planStore, &log)
      // The consumer does not receive the history before its registration.
      if step == .retire { token = walk.started }
      try logConfirmed(reading.consumer, on: planStore, &log)
    }
  }

  /// Logs as consumed the transactions that the consumer has confirmed since the last call.
  private func logConfirmed(
    _ id: ActorID,
    on planStore: PlanStore,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    guard let cursor = try planStore.cursor(of: id)?.cursor, cursor > token.number else { return }
    let store = try planStore.store()
    let held = try mappingErrors { () throws(HistoryError) in try store.heldNumbers() }
    let confirmed = held.filter { $0 > token.number && $0 <= cursor }
    log.add(id, .consumed(confirmed.map { String($0) }))
    token = HistoryToken(store: token.store, number: cursor, mark: token.mark)
  }
}

/// The error that a consumer's closure throws to stop reading at the page that the plan names.
private struct PlannedStop: Error {}

extension PlannedReading {
  /// The filter for the transactions that the consumer receives; `nil` if it receives all.
  var filter: HistoryFilter? {
    let filters = [entity.map(HistoryFilter.entity), author.map { .author($0) }].compactMap(\.self)
    return filters.isEmpty ? nil : .all(filters)
  }
}

extension ProcessHost {
  /// Performs a command of a consumer; returns `false` for every other command.
  func performsForConsumer(
    _ action: Action,
    _ planStore: PlanStore,
    _ log: inout EventLog
  ) throws(SystemFailure) -> Bool {
    switch action {
    case .launch(let id) where planStore.header.consumers.contains(id):
      let store = try planStore.connect(planStore.header.model)
      let started = try mappingErrors { () throws(HistoryError) in
        try ConsumerProcess(id, on: store, keeping: ownTokens[id])
      }
      consumers[id] = started
      let cursor = try mappingErrors { () throws(HistoryError) in
        try started.knownToken()
      }.transactionName
      log.add(
        id,
        started.registration.isNew ? .registered(cursor: cursor) : .launched(cursor: cursor)
      )
    case .consume(let id):
      let consumer = try consumer(id)
      try loggingLoss(of: id, &log) { log throws(HistoryError) in
        log.add(id, .consumed(try consumer.consume().map { String($0) }))
        keep(consumer.token, of: id, planStore)
      }
    case .read(let reading):
      let consumer = try consumer(reading.consumer)
      do throws(SystemFailure) {
        defer { keep(consumer.token, of: reading.consumer, planStore) }
        try consumer.read(reading, on: planStore, &log)
      } catch {
        if error.code == .expired { log.add(reading.consumer, .expired) }
        if error.code == .rewound { log.add(reading.consumer, .rewound) }
        throw error
      }
    case .resync(let id) where consumers[id] != nil:
      let consumer = try consumer(id)
      try loggingLoss(of: id, &log) { log throws(HistoryError) in
        log.add(id, .resynced(cursor: try consumer.resync().transactionName))
        keep(consumer.token, of: id, planStore)
      }
    default: return false
    }
    return true
  }

  /// Stores a copy of a consumer's token outside the store, if the plan's header requires such copies.
  private func keep(_ token: HistoryToken, of id: ActorID, _ planStore: PlanStore) {
    guard planStore.header.tokens == .own else { return }
    ownTokens[id] = token
    astray.remove(id)
  }

  private func consumer(_ id: ActorID) throws(SystemFailure) -> ConsumerProcess {
    guard let consumer = consumers[id] else {
      throw SystemFailure(.failed, "\(id) is not a running consumer.")
    }
    return consumer
  }

  /// Creates the consumers' processes from snapshots; the caller has restored the store's files.
  func restore(
    consumers kept: [ActorID: ConsumerProcess.Snapshot],
    _ planStore: PlanStore
  ) throws(SystemFailure) {
    for (id, snapshot) in kept.sorted(by: { $0.key < $1.key }) {
      let store = try planStore.connect(planStore.header.model)
      consumers[id] = try mappingErrors { () throws(HistoryError) in
        try ConsumerProcess(snapshot, on: store)
      }
    }
  }
}

/// Runs a closure; if its ``SystemFailure`` is `expired` or `rewound`, logs this event for the actor.
///
/// Rethrows every error of the closure as a ``SystemFailure``.
func loggingLoss(
  of actor: ActorID,
  _ log: inout EventLog,
  _ body: (inout EventLog) throws(HistoryError) -> Void
) throws(SystemFailure) {
  do throws(HistoryError) { try body(&log) } catch {
    let failure = SystemFailure(error)
    if failure.code == .expired { log.add(actor, .expired) }
    if failure.code == .rewound { log.add(actor, .rewound) }
    throw failure
  }
}

extension HistoryToken {
  /// The name of the transaction at the token; `nil` at the start of history.
  var transactionName: TransactionName? { number == 0 ? nil : String(number) }
}
