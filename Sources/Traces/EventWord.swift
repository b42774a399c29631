/// The words of events: the value of the key `event` in traces.
package enum EventWord: String, Hashable, Sendable, CaseIterable {
  case called
  case ended
  case skipped
  case registered
  case launched
  case stopped
  case crashed
  case retired
  case committed
  case wroteNothing
  case fetched
  case observed
  case merged
  case finished
  case recorded
  case received
  case consumed
  case purged
  case lost
  case expired
  case rewound
  case resynced
  case viewed
  case data
  case history
  case passed
  case answered
  case signalled
  case woke
  case recovered
  case damaged
  case fault
  case clock

  /// All keys that the event accepts.
  var keys: [String] { own + ["at", "tick", "actor", "event"] }

  private var own: [String] {
    switch self {
    case .called: ["command", "do"]
    case .ended: ["command", "outcome", "error"]
    case .skipped: ["command", "because"]
    case .registered, .launched, .recorded, .resynced: ["cursor"]
    case .recovered, .passed: ["through"]
    case .damaged: ["because"]
    case .committed: CommittedTransaction.keys
    case .fetched, .observed, .merged, .finished, .received, .consumed, .purged,
      .history:
      ["transactions"]
    case .answered: ["head", "now", "lines"]
    case .viewed: ["context", "objects"]
    case .data: ["objects"]
    case .fault: ["fault"]
    case .clock: ["now"]
    case .stopped, .crashed, .retired, .wroteNothing, .lost, .expired, .rewound, .signalled, .woke:
      []
    }
  }
}

extension Happening {
  /// The word of the trace format.
  package var word: EventWord {
    switch self {
    case .called: .called
    case .ended: .ended
    case .skipped: .skipped
    case .registered: .registered
    case .launched: .launched
    case .stopped: .stopped
    case .crashed: .crashed
    case .retired: .retired
    case .committed: .committed
    case .wroteNothing: .wroteNothing
    case .fetched: .fetched
    case .observed: .observed
    case .merged: .merged
    case .finished: .finished
    case .recorded: .recorded
    case .received: .received
    case .consumed: .consumed
    case .purged: .purged
    case .lost: .lost
    case .expired: .expired
    case .rewound: .rewound
    case .resynced: .resynced
    case .viewed: .viewed
    case .data: .data
    case .history: .history
    case .passed: .passed
    case .answered: .answered
    case .signalled: .signalled
    case .woke: .woke
    case .recovered: .recovered
    case .damaged: .damaged
    case .fault: .fault
    case .clock: .clock
    }
  }
}
