import HistoryStore
import HistoryTypes
import Traces

extension PlanStore {
  /// Opens the store after a power-off, and logs the effects of the command that was interrupted.
  ///
  /// All processes must have ended; the store is opened on the connections of a new pool.
  func restart(
    on pool: StorePool,
    after action: Action,
    _ log: inout EventLog
  ) throws(SystemFailure) -> RestartReport {
    try reopen(on: pool)
    let store = try store()
    let damage = try mappingErrors { () throws(HistoryError) in try store.integrityProblem() }
    let head = try head()
    try reconcileNames(unreported: head > Self.newest(in: log) ? head : nil)
    if let actor = action.actor, isResync(action, log) {
      // Observers never receive the changes between the old cursor and the position of the resync.
      try mappingErrors { () throws(HistoryError) in
        try logRecordedCursor(of: actor, resyncing: true, &log)
      }
    }
    let history = try logUnreported(by: action.actor, &log)
    return RestartReport(
      through: head == 0 ? nil : String(head),
      damage: damage,
      data: try data(),
      history: history
    )
  }

  /// After a command with a fault, inspects the store and logs the effects that no event has reported.
  func reconcile(after action: Action, _ log: inout EventLog) throws(SystemFailure) {
    try adoptModel()
    let isResync = isResync(action, log)
    if let actor = action.actor, purging != nil || isResync {
      try mappingErrors { () throws(HistoryError) in
        try logRecordedCursor(of: actor, resyncing: isResync, &log)
      }
    }
    if try head() > Self.newest(in: log) || purging != nil {
      _ = try logUnreported(by: action.actor, &log)
    }
  }

  /// Returns whether the interrupted command was a resync.
  ///
  /// A launch that has reported lost history counts too, because it then resyncs.
  private func isResync(_ action: Action, _ log: EventLog) -> Bool {
    if action.word == "resync" { return true }
    for event in log.events.reversed() where event.actor == action.actor {
      switch event.kind {
      case .called: return false
      case .expired, .rewound: return true
      default: break
      }
    }
    return false
  }

  private func head() throws(SystemFailure) -> Int64 {
    let store = try store()
    return try mappingErrors { () throws(HistoryError) in try store.currentToken() }.number
  }

  /// Logs the effects of the interrupted command's write and purge that no event has reported yet.
  ///
  /// - Returns: the transactions in history.
  private func logUnreported(
    by actor: ActorID?,
    _ log: inout EventLog
  ) throws(SystemFailure) -> [CommittedTransaction] {
    let history = try history()
    let head = try head()
    if head > Self.newest(in: log), let written = history.last {
      logWrite(written, try data(), by: actor, &log)
    }
    if let before = takePurging() { try logPurge(before, history, head, by: actor, &log) }
    return history
  }

  /// Logs the members that an interrupted purge cut off, and the transactions that it deleted.
  private func logPurge(
    _ before: PurgeStart,
    _ history: [CommittedTransaction],
    _ head: Int64,
    by actor: ActorID?,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let lost = try mappingErrors { () throws(HistoryError) in try lostMembers() }
    for member in lost.subtracting(before.lost).sorted() {
      let isNew = try mappingErrors { () throws(HistoryError) in try isNewlyLost(member, log) }
      if isNew { log.add(member, .lost) }
    }
    let held = Set(history.map(\.name))
    let gone = before.held.filter { $0 <= head }.map { String($0) }.filter { !held.contains($0) }
    if !gone.isEmpty { log.add(actor, .purged(gone)) }
  }

  /// Returns whether the interrupted purge marked a member as lost; `false` for an earlier mark.
  ///
  /// A resync removes the mark and moves the member's cursor. If a power-off rolls the resync back,
  /// the earlier mark is in the store again, and the member's cursor is lower than the last one
  /// that the event log reports. Otherwise the mark is new: a mark leaves the cursor unchanged.
  private func isNewlyLost(_ member: ActorID, _ log: EventLog) throws(HistoryError) -> Bool {
    guard let reported = log.cursor(of: member),
      let row = try registry()?.members.first(where: { $0.id == member })
    else { return true }
    return row.cursor >= reported.number
  }

  /// Returns the number of the newest transaction in the log that no power-off has rolled back.
  static func newest(in log: EventLog) -> Int64 { log.newest.flatMap { Int64($0) } ?? 0 }

  /// Logs the interrupted command's write, with the values that are now in the store.
  private func logWrite(
    _ unreported: CommittedTransaction,
    _ data: Objects,
    by actor: ActorID?,
    _ log: inout EventLog
  ) {
    guard let actor else { return }
    var written = Self.reported(unreported, data)
    written.writer = "\(actor)/\(written.context ?? "")"
    log.add(actor, .committed(written))
  }

  /// Returns the transaction with the values that its objects now have in the store.
  static func reported(_ transaction: CommittedTransaction, _ data: Objects) -> CommittedTransaction
  {
    var written = transaction
    for (index, change) in written.changes.enumerated() where change.type != .delete {
      let values = data[change.object] ?? [:]
      written.changes[index].values =
        change.type == .insert
        ? values.filter { $0.value != .null }
        : values.filter { change.columns.contains($0.key) }
    }
    return written
  }

  /// Corrects the mapping of object names after a power-off.
  ///
  /// Removes the names of objects whose insert was rolled back, because their keys may be assigned
  /// again. Adds the names of objects that the interrupted write inserted.
  private func reconcileNames(unreported: Int64?) throws(SystemFailure) {
    let store = try store()
    var present: Set<ObjectID> = []
    var reported: Set<ObjectID> = []
    for batch in try mappingErrors({ () throws(HistoryError) in try store.snapshot() }).rows {
      for key in batch.keys { present.insert(ObjectID(entity: batch.entity, key: key)) }
    }
    var inserted: [ObjectID] = []
    for transaction in try heldTransactions() {
      for change in transaction.changes {
        reported.insert(change.objectID)
        if transaction.number.rawValue == unreported, change.type == .insert {
          inserted.append(change.objectID)
        }
      }
    }
    objects.reconcile(
      present: present,
      reported: reported,
      inserted: inserted.sorted { $0.key < $1.key }
    )
  }
}

extension PlanStore {
  /// Logs an actor's cursor in the registry if the failed command moved the cursor without an event.
  ///
  /// For example, a purge first records the cursor and raises the purged position in one small
  /// transaction, and may then fail while it deletes rows. After a failed resync, a resync event is
  /// logged: the cursor is then at the newest position, and the process reads its data again before
  /// any other step.
  func logRecordedCursor(
    of actor: ActorID,
    resyncing: Bool = false,
    _ log: inout EventLog
  ) throws(HistoryError) {
    guard let reported = log.cursor(of: actor),
      let row = try registry()?.members.first(where: { $0.id == actor })
    else { return }
    // After a restored snapshot, the log may contain a later cursor than the store.
    guard row.cursor > reported.number else { return }
    let cursor = String(row.cursor)
    log.add(actor, resyncing ? .resynced(cursor: cursor) : .recorded(cursor: cursor))
  }
}

extension EventLog {
  /// A cursor as an event reported it; a `nil` transaction is the start of history.
  struct ReportedCursor {
    let transaction: TransactionName?

    var number: Int64 { transaction.flatMap { Int64($0) } ?? 0 }
  }

  /// Returns the last cursor that an actor's events report; `nil` if no event reports one.
  func cursor(of actor: ActorID) -> ReportedCursor? {
    for event in events.reversed() where event.actor == actor {
      switch event.kind {
      case .registered(let cursor), .launched(let cursor), .recorded(let cursor),
        .resynced(let cursor):
        return ReportedCursor(transaction: cursor)
      case .consumed(let names):
        if let last = names.last { return ReportedCursor(transaction: last) }
      default: continue
      }
    }
    return nil
  }
}
