package import PersistentHistory
package import Traces

/// The events of a run so far, numbered as they are added.
package struct EventLog {
  /// The events, in order; only those not yet taken by whoever drives the run.
  package private(set) var events: [Event] = []
  /// The scheduler's step that new events belong to.
  package var tick = 0
  private var next = 0
  /// The newest transaction that the logs before this one told of.
  private var newestBefore: TransactionName?

  package init() {}

  /// Goes on behind another log, without its events.
  package init(after other: EventLog) {
    tick = other.tick
    next = other.next
    newestBefore = other.newest
  }

  /// Goes on behind another log, with the room that this one had for events.
  package mutating func restart(after other: EventLog) {
    newestBefore = other.newest
    events.removeAll(keepingCapacity: true)
    tick = other.tick
    next = other.next
  }

  /// The newest transaction that was told of and that no power-off has taken back.
  ///
  /// - Complexity: linear in the events since it was told of.
  package var newest: TransactionName? {
    for event in events.reversed() {
      switch event.happening {
      case .committed(let transaction): return transaction.name
      case .recovered(let through): return through
      default: break
      }
    }
    return newestBefore
  }

  /// Adds what happened to an actor, or to the store.
  package mutating func add(_ actor: ActorID?, _ happening: Happening) {
    events.append(Event(at: next, tick: tick, actor: actor, happening))
    next += 1
  }
}
