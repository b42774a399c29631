import HistoryTypes
import Traces

/// Converts the program's answers to events of the trace.
extension ExternalSystem {
  /// Logs the events of a successful action.
  func logSuccess(
    _ answer: WireAnswer,
    of action: Action,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    try check(answer, of: action)
    let actor = action.actor
    if answer.isExpired { log.add(actor, .expired) }
    if answer.isRewound { log.add(actor, .rewound) }
    if case .launch(let actor) = action {
      let cursor = answer.cursor?.transaction
      let isNew = answer.isRegistered ?? notes.isNew(actor)
      log.add(actor, isNew ? .registered(cursor: cursor) : .launched(cursor: cursor))
    }
    logSteps(answer, of: action, &log)
    if let purged = answer.purged, !purged.isEmpty { log.add(actor, .purged(purged)) }
    logEnding(answer, of: action, &log)
    notes.note(action)
    for actor in answer.signalled { log.add(actor, .signalled) }
  }

  /// Logs the effects that a failed action had until its failure, then throws the failure.
  func logFailure(
    _ failed: WireFailure,
    of action: Action,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    var done = failed.done
    let signalled = done.signalled
    done.signalled = []
    // A failed launch is not logged as a launch, and a failed write is not logged as a transaction.
    try check(done, of: action)
    let actor = action.actor
    logSteps(done, of: action, &log)
    if let purged = done.purged, !purged.isEmpty { log.add(actor, .purged(purged)) }
    if failed.failure.code == .expired { log.add(actor, .expired) }
    if failed.failure.code == .rewound { log.add(actor, .rewound) }
    for actor in signalled { log.add(actor, .signalled) }
    throw failed.failure
  }

  /// Logs the events of fetching, merging and recording, by single commands or by a pass.
  private func logSteps(_ answer: WireAnswer, of action: Action, _ log: inout EventLog) {
    let actor = action.actor
    if answer.hasWoken { log.add(actor, .woke) }
    switch action {
    case .fetch: if let names = answer.transactions { log.add(actor, .fetched(names)) }
    case .merge, .pass, .deliver, .poll, .launch:
      if let fetched = answer.fetched { log.add(actor, .fetched(fetched)) }
      if let observed = answer.observed, !observed.isEmpty { log.add(actor, .observed(observed)) }
      if let merged = answer.transactions { log.add(actor, .merged(merged)) }
      if let finished = answer.finished, !finished.isEmpty { log.add(actor, .finished(finished)) }
      if let position = Self.recorded(answer, by: action) {
        log.add(actor, .recorded(cursor: position.transaction))
      }
    case .record:
      if let cursor = answer.cursor { log.add(actor, .recorded(cursor: cursor.transaction)) }
    default: break
    }
    for member in answer.lost { log.add(member, .lost) }
  }

  /// Returns the position that a launch or a pass recorded; `nil` if it recorded none.
  ///
  /// The result is also `nil` for a merge, which records no position.
  private static func recorded(_ answer: WireAnswer, by action: Action) -> WirePosition? {
    switch action {
    case .launch: answer.recorded
    case .merge: nil
    default: answer.cursor
    }
  }

  private func logEnding(_ answer: WireAnswer, of action: Action, _ log: inout EventLog) {
    switch action {
    case .write, .batch, .commit: logWrite(answer.write, of: action, &log)
    case .stop(let actor): log.add(actor, .stopped)
    case .crash(let actor): log.add(actor, .crashed)
    case .retire(let actor): log.add(actor, .retired)
    case .resync(let actor): log.add(actor, .resynced(cursor: answer.cursor?.transaction))
    case .consume(let consumer): log.add(consumer, .consumed(answer.transactions ?? []))
    case .view(let actor, let context):
      log.add(actor, .viewed(context: context, answer.objects ?? [:]))
    case .data: log.add(nil, .data(answer.objects ?? [:]))
    case .history: log.add(nil, .history((answer.history ?? []).map(timed)))
    default: break
    }
  }

  private func logWrite(_ write: WireWrite?, of action: Action, _ log: inout EventLog) {
    guard case .committed(var transaction)? = write else {
      return log.add(action.actor, .wroteNothing)
    }
    // Without the `clock` capability, the program's timestamps differ in each run and are replaced.
    if !capabilities.contains(.clock) { transaction.timestamp = clock.now }
    notes.note(transaction.name, at: transaction.timestamp)
    log.add(action.actor, .committed(transaction))
  }

  private func timed(_ held: CommittedTransaction) -> CommittedTransaction {
    guard !capabilities.contains(.clock), let time = notes.times[held.name] else { return held }
    var held = held
    held.timestamp = time
    return held
  }

  /// Throws if an answer names an unknown transaction, or commits one under a name already in use.
  ///
  /// Checkers could give no verdict about a trace with such names.
  private func check(_ answer: WireAnswer, of action: Action) throws(SystemFailure) {
    if let name = notes.unknown(in: answer) {
      throw give(
        "its answer to \"\(action.word)\" names the transaction \"\(name)\", which no answer to a "
          + "write has returned",
        asked: nil
      )
    }
    if case .committed(let transaction)? = answer.write, notes.times[transaction.name] != nil {
      throw give(
        "it answered \"\(action.word)\" with the transaction name \"\(transaction.name)\", which an "
          + "earlier write already has",
        asked: nil
      )
    }
  }
}

/// Facts from the program's earlier answers in a plan, which are needed to interpret later answers.
struct ExternalNotes {
  let header: PlanHeader
  /// The transactions that the program has reported, each with its timestamp in the trace.
  private(set) var times: [TransactionName: Double] = [:]
  private var members: Set<ActorID> = []
  private var staged: [ActorID: PlannedWrite] = [:]

  init(_ header: PlanHeader = PlanHeader(model: Model(unchecked: []), actors: [])) {
    self.header = header
  }

  /// Returns whether a launch of this actor starts a new membership.
  func isNew(_ actor: ActorID) -> Bool { !members.contains(actor) }

  /// Records an action that the program has performed.
  mutating func note(_ action: Action) {
    switch action {
    case .launch(let actor):
      members.insert(actor)
      staged[actor] = nil
    case .retire(let actor):
      members.remove(actor)
      staged[actor] = nil
    case .stop(let actor), .crash(let actor): staged[actor] = nil
    case .begin(let write): staged[write.actor] = write
    default: break
    }
  }

  mutating func note(_ transaction: TransactionName, at time: Double) { times[transaction] = time }

  /// Returns the author and the context of a request's write; `nil` if the request does not write.
  func writer(of request: WireRequest) -> WireWriter? {
    guard case .command(let action) = request else { return nil }
    switch action {
    case .write(let write): return writer(write)
    case .commit(let actor):
      return staged[actor].map(writer)
        ?? WireWriter(author: header.actor(actor)?.author, context: "view")
    case .batch(let batch):
      return WireWriter(author: author(batch.author, of: batch.actor), context: "batch")
    default: return nil
    }
  }

  private func writer(_ write: PlannedWrite) -> WireWriter {
    WireWriter(author: author(write.author, of: write.actor), context: write.context)
  }

  private func author(_ choice: WriteAuthor, of actor: ActorID) -> String? {
    switch choice {
    case .own: header.actor(actor)?.author
    case .absent: nil
    case .other(let name): name
    }
  }

  /// Returns the first transaction name in an answer that no earlier answer reported; else `nil`.
  func unknown(in answer: WireAnswer) -> TransactionName? {
    let lists = [
      answer.transactions, answer.fetched, answer.observed, answer.finished, answer.purged,
    ]
    let positions = [answer.cursor?.transaction, answer.recorded?.transaction]
    let names = lists.flatMap { $0 ?? [] } + positions.compactMap(\.self)
    return names.first { times[$0] == nil }
  }
}
