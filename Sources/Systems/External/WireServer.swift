package import Traces

/// Answers the requests of the wire protocol, one line each, with one of the lab's own systems.
package final class WireServer {
  private let system: any SystemUnderTest
  private let hello: WireHello
  private let clock: PlanClock
  /// Restarts the system under test with an empty store.
  private let start: (PlanHeader) throws(SystemFailure) -> Void
  private var header: PlanHeader?
  /// Whether the client has ended the session with `bye`.
  package private(set) var hasEnded = false

  /// Creates a server for a system that reads the time from `clock`, which the client's requests set.
  package init(
    _ system: any SystemUnderTest,
    _ hello: WireHello,
    clock: PlanClock,
    start: @escaping (PlanHeader) throws(SystemFailure) -> Void
  ) {
    self.system = system
    self.hello = hello
    self.clock = clock
    self.start = start
  }

  /// Returns the answer to a request line; both lines are without the newline at their end.
  package func answer(_ line: String) -> String {
    let message: WireMessage
    do throws(WireRefusal) { message = try WireCodec.request(line, for: header) } catch {
      return WireCodec.encode(WireFailure(error.failure), id: error.id)
    }
    switch message.request {
    case .hello: return WireCodec.encode(hello, id: message.id)
    case .bye: hasEnded = true
    case .recover: system.recover()
    case .reset(let header):
      do throws(SystemFailure) { try reset(header) } catch {
        return WireCodec.encode(WireFailure(error), id: message.id)
      }
    case .command(let action): return answer(action, message)
    }
    return WireCodec.encode(WireAnswer(), id: message.id)
  }

  private func reset(_ header: PlanHeader) throws(SystemFailure) {
    self.header = nil
    try start(header)
    self.header = header
  }

  private func answer(_ action: Action, _ message: WireMessage) -> String {
    moveClock(for: action, to: message.now)
    var log = EventLog()
    do throws(SystemFailure) {
      try system.perform(action, &log)
      var answer = WireAnswer(log.events, of: action)
      if case .clock = action { answer.now = clock.now }
      return WireCodec.encode(answer, id: message.id)
    } catch {
      var done = WireAnswer()
      for event in log.events { done.take(event, of: action) }
      // The error code `expired` already states that history was lost.
      if error.code == .expired { done.isExpired = false }
      if error.code == .rewound { done.isRewound = false }
      return WireCodec.encode(WireFailure(error, done: done), id: message.id)
    }
  }

  /// Sets the clock to the time in the request.
  ///
  /// If the request has no time, advances the clock as a plan does for the action.
  private func moveClock(for action: Action, to now: Double?) {
    if let now {
      clock.now = now
      return
    }
    switch action {
    case .write(let write), .begin(let write): if write.ticks { clock.now += header?.step ?? 1 }
    case .batch: clock.now += header?.step ?? 1
    case .clock(let advance): clock.now += advance
    default: break
    }
  }
}

extension WireAnswer {
  /// Creates an answer from the events of one command.
  init(_ events: [Event], of action: Action) {
    self.init()
    for event in events { take(event, of: action) }
    switch action {
    case .purge: purged = purged ?? []
    case .pass: (transactions, purged) = (transactions ?? [], purged ?? [])
    case .fetch, .merge, .consume: transactions = transactions ?? []
    default: break
    }
  }

  fileprivate mutating func take(_ event: Event, of action: Action) {
    let isLaunch = action.word == "launch"
    switch event.kind {
    case .registered(let cursor), .launched(let cursor):
      self.cursor = WirePosition(cursor)
      if case .registered = event.kind { isRegistered = true } else { isRegistered = false }
    case .committed(let transaction): write = .committed(transaction)
    case .wroteNothing: write = .nothing
    case .fetched(let names) where action.word == "fetch": transactions = names
    case .fetched(let names): fetched = names
    case .merged(let names), .consumed(let names): transactions = names
    case .observed(let names): observed = (observed ?? []) + names
    case .finished(let names): finished = (finished ?? []) + names
    case .recorded(let cursor) where isLaunch: recorded = WirePosition(cursor)
    case .recorded(let cursor), .resynced(let cursor): self.cursor = WirePosition(cursor)
    case .purged(let names): purged = (purged ?? []) + names
    case .viewed(_, let objects), .data(let objects): self.objects = objects
    case .history(let held): history = held
    case .woke: hasWoken = true
    case .expired: isExpired = true
    case .rewound: isRewound = true
    case .lost: if let actor = event.actor { lost.append(actor) }
    case .signalled: if let actor = event.actor { signalled.append(actor) }
    default: break
    }
  }
}
