import HistoryStore
import PersistentHistory
import Traces

extension StoreBench {
  /// Tells how far a member has recorded, by looking, where a command that failed has not told it: a
  /// purge records and raises its bound in one small transaction, and may fail while it deletes rows.
  ///
  /// Of a resync that failed it tells that: the cursor lies at the head, and the data are read anew before
  /// anything else is.
  func tellRecord(
    of actor: ActorID,
    resyncing: Bool = false,
    _ log: inout EventLog
  ) throws(HistoryError) {
    guard let told = log.cursor(of: actor),
      let row = try registry()?.members.first(where: { $0.id == actor })
    else { return }
    // Behind a state that was put back the log may tell of what comes later.
    guard row.cursor > told.number else { return }
    let cursor = String(row.cursor)
    log.add(actor, resyncing ? .resynced(cursor: cursor) : .recorded(cursor: cursor))
  }
}

extension EventLog {
  /// A position that somebody told; nothing within it is the beginning of history.
  struct ToldCursor {
    let transaction: TransactionName?

    var number: Int64 { transaction.flatMap { Int64($0) } ?? 0 }
  }

  /// Through where an actor has said last that it has recorded, if it has.
  func cursor(of actor: ActorID) -> ToldCursor? {
    for event in events.reversed() where event.actor == actor {
      switch event.happening {
      case .registered(let cursor), .launched(let cursor), .recorded(let cursor),
        .resynced(let cursor):
        return ToldCursor(transaction: cursor)
      case .consumed(let names):
        if let last = names.last { return ToldCursor(transaction: last) }
      default: continue
      }
    }
    return nil
  }
}
