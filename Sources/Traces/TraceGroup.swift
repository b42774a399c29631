import HistoryTypes

/// The events of one command of a real process, or one event outside of commands.
///
/// It is the smallest unit of a trace: events of other processes are never placed within it.
package struct TraceGroup: Sendable {
  /// The actor or consumer, if any.
  package var actor: ActorID?
  /// The word of the command, or `nil` for an event outside of commands.
  package var word: String?
  /// The content of the command.
  package var given: Command?
  /// The events, without the call and its outcome.
  package var events: [TimedEvent] = []
  /// The outcome of the command; unknown if its process was killed during it.
  package var outcome: Outcome?
  /// The earliest time, in nanoseconds of the monotonic clock.
  package var start: Int64
  /// The latest time, in nanoseconds of the monotonic clock.
  package var end: Int64

  init(_ event: TimedEvent) {
    actor = event.event.actor
    start = event.mono.lowerBound
    end = event.mono.upperBound
    if case .called(_, let word) = event.event.happening {
      self.word = word
      given = event.given
      outcome = .unknown(Self.killed)
      end = .max
    } else {
      events = [event]
    }
  }

  /// The failure of a command whose process was killed before the outcome was logged.
  static let killed = SystemFailure(
    .crashed,
    "The process was killed before it reported the outcome."
  )

  /// Whether the group is a command whose outcome was not logged.
  package var isCut: Bool { if case .unknown = outcome { true } else { false } }

  /// Adds the next event of the command and returns whether it was the last one.
  mutating func take(_ event: TimedEvent) -> Bool {
    if case .ended(_, let outcome) = event.event.happening {
      self.outcome = outcome
      if case .failed = outcome { events = [] }
      if events.isEmpty { start = max(start, event.mono.lowerBound) }
      end = event.mono.upperBound
      return true
    }
    // The command took effect at the time of its first event, not at the call.
    if events.isEmpty { start = max(start, event.mono.lowerBound) }
    events.append(event)
    return false
  }

  // MARK: Numbers

  /// The number of the transaction that the group committed, if any.
  var committed: Int64? {
    for event in events {
      if case .committed(let transaction) = event.event.happening { return Int64(transaction.name) }
    }
    return nil
  }

  /// The greatest number among the transactions that the group names but did not commit.
  var mentioned: Int64 {
    events.reduce(0) { greatest, event in max(greatest, event.event.happening.mentioned) }
  }
}

extension Happening {
  /// The greatest number of a transaction that must precede the event; 0 for none.
  fileprivate var mentioned: Int64 {
    switch self {
    case .registered(let cursor), .launched(let cursor), .recorded(let cursor),
      .resynced(let cursor), .passed(let cursor):
      cursor.flatMap { Int64($0) } ?? 0
    case .fetched(let names), .observed(let names), .merged(let names), .finished(let names),
      .consumed(let names), .purged(let names):
      names.reduce(0) { max($0, Int64($1) ?? 0) }
    default: 0
    }
  }
}
