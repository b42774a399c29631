package import PersistentHistory

/// What one command of a real process did, or what happened to it otherwise: the smallest part of its
/// trace that others' events do not come between.
package struct TraceGroup: Sendable {
  /// Who.
  package var actor: ActorID?
  /// The word of the command, or nothing for an event on its own.
  package var word: String?
  /// What the command said.
  package var given: Command?
  /// What happened, the call and its outcome left out.
  package var events: [TimedEvent] = []
  /// How the command ended; unknown where its process was killed meanwhile.
  package var outcome: Outcome?
  /// Not before this moment.
  package var start: Int64
  /// Not after this one.
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

  /// Why nobody knows how a command ended.
  static let killed = SystemFailure(.crashed, "The process was killed before it could tell.")

  /// Whether it is a command whose outcome was not told.
  package var isCut: Bool { if case .unknown = outcome { true } else { false } }

  /// Takes in the next event of the command, and answers whether it was its last.
  mutating func take(_ event: TimedEvent) -> Bool {
    if case .ended(_, let outcome) = event.event.happening {
      self.outcome = outcome
      if case .failed = outcome { events = [] }
      if events.isEmpty { start = max(start, event.mono.lowerBound) }
      end = event.mono.upperBound
      return true
    }
    // What it did happened when its first event says, not when it was called.
    if events.isEmpty { start = max(start, event.mono.lowerBound) }
    events.append(event)
    return false
  }

  // MARK: Numbers

  /// The number of the transaction that it committed, if it did.
  var committed: Int64? {
    for event in events {
      if case .committed(let transaction) = event.event.happening { return Int64(transaction.name) }
    }
    return nil
  }

  /// The greatest number of a transaction that it names and did not commit.
  var mentioned: Int64 {
    events.reduce(0) { greatest, event in max(greatest, event.event.happening.mentioned) }
  }
}

extension Happening {
  /// The greatest number of a transaction that was there before it; 0 for none.
  fileprivate var mentioned: Int64 {
    switch self {
    case .registered(let cursor), .launched(let cursor), .recorded(let cursor),
      .resynced(let cursor):
      cursor.flatMap { Int64($0) } ?? 0
    case .fetched(let names), .observed(let names), .merged(let names), .consumed(let names),
      .purged(let names):
      names.reduce(0) { max($0, Int64($1) ?? 0) }
    default: 0
    }
  }
}
