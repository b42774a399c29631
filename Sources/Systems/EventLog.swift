import HistoryTypes
package import Traces

/// The events of a run so far, numbered as they are added.
package struct EventLog {
  /// The events, in order, since the log was created or restarted.
  package private(set) var events: [Event] = []
  /// The scheduler step that new events belong to.
  package var tick = 0
  private var next = 0
  /// The newest transaction in the earlier logs of the run; `nil` if they contain none.
  private var newestBefore: TransactionName?

  package init() {}

  /// Creates an empty log whose event numbers continue those of another log.
  package init(after other: EventLog) {
    tick = other.tick
    next = other.next
    newestBefore = other.newest
  }

  /// Empties this log, and keeps its capacity; the next events get the numbers after those of `other`.
  package mutating func restart(after other: EventLog) {
    newestBefore = other.newest
    events.removeAll(keepingCapacity: true)
    tick = other.tick
    next = other.next
  }

  /// The newest reported transaction that was not rolled back by a power-off.
  ///
  /// - Complexity: linear in the events since that transaction was reported.
  package var newest: TransactionName? {
    for event in events.reversed() {
      switch event.kind {
      case .committed(let transaction): return transaction.name
      case .recovered(let through): return through
      default: break
      }
    }
    return newestBefore
  }

  /// Adds an event of an actor, or of the store if `actor` is `nil`.
  package mutating func add(_ actor: ActorID?, _ kind: EventKind) {
    events.append(Event(at: next, tick: tick, actor: actor, kind))
    next += 1
  }
}
