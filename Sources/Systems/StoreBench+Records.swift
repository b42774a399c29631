import HistoryStore
import HistoryTypes
import Traces

extension StoreBench {
  /// Logs a member's recorded position from the store, if a failed command did not report it.
  ///
  /// A purge records and raises its bound in one small transaction, and may fail while it deletes
  /// rows. After a failed resync, a resync event is logged: the cursor is at the newest position,
  /// and the data are read again before anything else is.
  func tellRecord(
    of actor: ActorID,
    resyncing: Bool = false,
    _ log: inout EventLog
  ) throws(HistoryError) {
    guard let reported = log.cursor(of: actor),
      let row = try registry()?.members.first(where: { $0.id == actor })
    else { return }
    // After a snapshot was restored, the log may contain later positions.
    guard row.cursor > reported.number else { return }
    let cursor = String(row.cursor)
    log.add(actor, resyncing ? .resynced(cursor: cursor) : .recorded(cursor: cursor))
  }
}

extension EventLog {
  /// A reported position; a `nil` transaction is the start of history.
  struct ReportedCursor {
    let transaction: TransactionName?

    var number: Int64 { transaction.flatMap { Int64($0) } ?? 0 }
  }

  /// Returns the last position that an actor reported as recorded, if it reported one.
  func cursor(of actor: ActorID) -> ReportedCursor? {
    for event in events.reversed() where event.actor == actor {
      switch event.happening {
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
