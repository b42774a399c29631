import HistoryStore
import HistoryTypes
import Traces

extension ProcessHost {
  /// Performs a command if it is one of a consumer, and returns whether it was.
  func performsForConsumer(
    _ action: Action,
    _ bench: StoreBench,
    _ log: inout EventLog
  ) throws(SystemFailure) -> Bool {
    switch action {
    case .launch(let id) where bench.header.consumers.contains(id):
      let store = try bench.connect(bench.header.model)
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
        keep(consumer.token, of: id, bench)
      }
    case .read(let reading):
      let consumer = try consumer(reading.consumer)
      do throws(SystemFailure) {
        defer { keep(consumer.token, of: reading.consumer, bench) }
        try consumer.read(reading, on: bench, &log)
      } catch {
        if error.code == .expired { log.add(reading.consumer, .expired) }
        if error.code == .rewound { log.add(reading.consumer, .rewound) }
        throw error
      }
    case .resync(let id) where consumers[id] != nil:
      let consumer = try consumer(id)
      try loggingLoss(of: id, &log) { log throws(HistoryError) in
        log.add(id, .resynced(cursor: try consumer.resync().transactionName))
        keep(consumer.token, of: id, bench)
      }
    default: return false
    }
    return true
  }

  /// Keeps a consumer's token outside the store, if the plan says so.
  private func keep(_ token: HistoryToken, of id: ActorID, _ bench: StoreBench) {
    guard bench.header.tokens == .own else { return }
    ownTokens[id] = token
    astray.remove(id)
  }

  private func consumer(_ id: ActorID) throws(SystemFailure) -> ConsumerProcess {
    guard let consumer = consumers[id] else {
      throw SystemFailure(.failed, "The consumer \(id) is not registered.")
    }
    return consumer
  }

  /// Restores the consumers from snapshots, on a store that was restored too.
  func restore(
    consumers kept: [ActorID: ConsumerProcess.Snapshot],
    _ bench: StoreBench
  ) throws(SystemFailure) {
    for (id, snapshot) in kept.sorted(by: { $0.key < $1.key }) {
      let store = try bench.connect(bench.header.model)
      consumers[id] = try mappingErrors { () throws(HistoryError) in
        try ConsumerProcess(snapshot, on: store)
      }
    }
  }
}

/// Runs a closure, and logs the loss of history if the closure throws that error.
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
