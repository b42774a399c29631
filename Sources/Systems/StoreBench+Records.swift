import HistoryStore
import HistoryTypes
import Traces

extension StoreBench {
  /// Logs a member's cursor from the store's registry, if a failed command did not log the cursor.
  ///
  /// A purge records the cursor and raises its bound in one small transaction, and may fail afterwards
  /// while rows are deleted. After a failed resync, a resync event is logged: the cursor is then at the
  /// newest position, and the process reads its data again before any other step.
  func tellRecord(
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
  /// A reported position; a `nil` transaction is the start of history.
  struct ReportedCursor {
    let transaction: TransactionName?

    var number: Int64 { transaction.flatMap { Int64($0) } ?? 0 }
  }

  /// Returns the last cursor that an actor's events report; `nil` if no event reports one.
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
