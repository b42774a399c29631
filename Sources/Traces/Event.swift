public import HistoryTypes

/// Something that happened during a run, such as the call of a command, a commit or a crash.
///
/// The trace of the run lists the events in order.
package struct Event: Hashable, Sendable {
  /// The position of the event in the trace, counted from 0.
  package var at: Int
  /// The simulator's tick at the event; every command, automatic ones included, advances it by one.
  ///
  /// In a trace joined from real processes, the milliseconds from the start of the run to the event.
  package var tick: Int
  /// The actor or consumer that the event concerns; `nil` if it concerns none.
  package var actor: ActorID?
  /// The kind of the event, with its details.
  package var kind: EventKind

  package init(at: Int, tick: Int, actor: ActorID?, _ kind: EventKind) {
    self.at = at
    self.tick = tick
    self.actor = actor
    self.kind = kind
  }
}

/// The kind and details of an event; in traces, the value of the key `event` selects the case.
package enum EventKind: Hashable, Sendable {
  /// A command was called; `command` is its position in the plan, or `nil` after the plan's last
  /// command.
  case called(command: Int?, word: String)
  case ended(command: Int?, Outcome)
  /// A command was skipped because its actor was in the wrong state.
  case skipped(command: Int?, because: String)
  /// An actor became a member; its cursor is the newest transaction, or `nil` in an empty history.
  case registered(cursor: TransactionName?)
  /// An actor started again with its recorded cursor, which is `nil` if it has recorded none.
  case launched(cursor: TransactionName?)
  case stopped
  case crashed
  case retired
  case suspended
  case resumed
  /// The file locks that a suspended actor's process holds, as the lab's virtual disk reports them.
  case locks(held: [String])
  /// A write took effect as one transaction.
  case committed(CommittedTransaction)
  /// A write took no effect and left no transaction.
  case wroteNothing
  /// An actor fetched the transactions to merge, in order.
  case fetched([TransactionName])
  /// An observer was notified of transactions.
  case observed([TransactionName])
  /// An actor merged transactions into its contexts, in order.
  case merged([TransactionName])
  /// A merge hook of an actor replaced the default merge.
  ///
  /// The transactions count as merged. The actor's contexts contain the changes of these
  /// transactions only if the hook has applied them.
  case finished([TransactionName])
  /// An actor recorded the last transaction that it has merged.
  case recorded(cursor: TransactionName?)
  /// A consumer received a page of history, which is empty at the end of history.
  case received([CommittedTransaction])
  /// A consumer read transactions and stored its token.
  case consumed([TransactionName])
  /// Transactions were purged from history.
  case purged([TransactionName])
  /// A retention limit cut a member off from history that the member had not merged.
  case lost
  /// A member's request failed because history that the member still needs was purged.
  case expired
  /// A member's request failed because history was replaced after the member recorded its cursor.
  case rewound
  /// A member took a new snapshot of the data and moved its cursor to the snapshot's position.
  case resynced(cursor: TransactionName?)
  /// An actor reported the objects of one of its contexts.
  case viewed(context: String, Objects)
  /// The store's objects were read.
  case data(Objects)
  /// The store's history was read, in commit order.
  case history([CommittedTransaction])
  /// An actor completed a pass: fetch, merge and record.
  ///
  /// `through` is the newest transaction at the start of the pass, or `nil` if history was empty.
  case passed(through: TransactionName?)
  case answered(QueryAnswer)
  /// A live query of an actor reported a result that differs from the previous one, or ended with
  /// an error.
  case listed(LiveReport)
  case signalled
  case woke
  /// The store was recovered after a power-off, with all transactions up to `through`.
  case recovered(through: TransactionName?)
  /// The store is damaged after a power-off, or cannot be opened.
  case damaged(because: String)
  case fault(PlannedFault)
  /// The clock was set, to seconds since 2001-01-01 UTC.
  case clock(now: Double)
}

/// The outcome of a command.
package enum Outcome: Hashable, Sendable {
  case ok
  /// The command had no effect.
  case failed(SystemFailure)
  /// The effect of the command is uncertain.
  case unknown(SystemFailure)
}

/// The reason why a system failed to perform a command.
package struct SystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: String, Hashable, Sendable, CaseIterable {
    case expired
    case rewound
    case superseded
    case inUse
    case conflict
    /// An object cannot be deleted, because another object refers to it with the delete rule `deny`.
    ///
    /// The other object is not deleted by the same write.
    case denied
    /// An object would refer to an object that does not exist.
    case dangling
    /// Two objects would have the same unique values.
    case duplicate
    /// A required attribute would have no value.
    case missing
    case busy
    case full
    case io
    case suspended
    case crashed
    case unsupported
    case failed
  }
  package var code: Code
  package var message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { "\(code.rawValue): \(message)" }
}

/// A transaction as the system under test reports it.
public struct CommittedTransaction: Hashable, Sendable {
  /// The transaction's name, which the system chooses.
  public var name: TransactionName
  /// The author; `nil` if the transaction has none.
  public var author: String?
  /// The context that saved the transaction; `nil` if the transaction names none.
  package var context: String?
  /// The actor that performed the write, in some systems with its context, such as `app/view`.
  ///
  /// The value is `nil` if the system does not report the actor.
  package var writer: String?
  /// The time of the commit, in seconds since 2001-01-01 UTC.
  public var timestamp: Double
  /// The net changes, at most one for each object.
  public var changes: [CommittedChange]

  /// Creates a transaction as a system reports it.
  ///
  /// - Parameters:
  ///   - name: The transaction's name, which is unique within a plan.
  ///   - author: The author, or `nil` for none.
  ///   - context: The context that saved the transaction; `nil` for none. The default is `view`.
  ///   - writer: The actor that performed the write, or the actor and its context, such as
  ///     `app/view`. The default `nil` does not report the actor.
  ///   - timestamp: The time of the commit, in seconds since 2001-01-01 UTC.
  ///   - changes: The net changes, at most one for each object.
  public init(
    name: TransactionName,
    author: String?,
    context: String? = "view",
    writer: String? = nil,
    timestamp: Double,
    changes: [CommittedChange]
  ) {
    self.name = name
    self.author = author
    self.context = context
    self.writer = writer
    self.timestamp = timestamp
    self.changes = changes
  }
}

/// One change of a transaction.
public struct CommittedChange: Hashable, Sendable {
  /// The change type: insert, update or delete.
  public var type: ChangeType
  /// The changed object.
  public var object: ObjectName
  /// The names of the attributes that an update set; empty if the system does not report them.
  public var columns: [String]
  /// The values that the write set; empty if the system does not report them.
  public var values: Values
  /// The values that a delete preserved; `nil` if the system does not report them.
  public var tombstone: Values?

  /// Creates a change as a system reports it.
  ///
  /// - Parameters:
  ///   - type: The change type: insert, update or delete.
  ///   - object: The changed object.
  ///   - columns: The names of the attributes that an update set. The default is none.
  ///   - values: The values that the write set, by attribute name. The default is none.
  ///   - tombstone: The values that a delete preserved. The default `nil` does not report them.
  public init(
    _ type: ChangeType,
    _ object: ObjectName,
    columns: [String] = [],
    values: Values = [:],
    tombstone: Values? = nil
  ) {
    self.type = type
    self.object = object
    self.columns = columns
    self.values = values
    self.tombstone = tombstone
  }
}

/// The words of events: the possible values of the key `event` in traces.
package enum EventWord: String, Hashable, Sendable, CaseIterable {
  case called
  case ended
  case skipped
  case registered
  case launched
  case stopped
  case crashed
  case retired
  case suspended
  case resumed
  case locks
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
  case listed
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
    case .locks: ["held"]
    case .committed: CommittedTransaction.keys
    case .fetched, .observed, .merged, .finished, .received, .consumed, .purged,
      .history:
      ["transactions"]
    case .answered: ["head", "now", "lines"]
    case .listed: LiveReport.keys
    case .viewed: ["context", "objects"]
    case .data: ["objects"]
    case .fault: ["fault"]
    case .clock: ["now"]
    case .stopped, .crashed, .retired, .suspended, .resumed, .wroteNothing, .lost, .expired,
      .rewound,
      .signalled, .woke:
      []
    }
  }
}

extension EventKind {
  /// The kind's name in traces: the value of the key `event`.
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
    case .suspended: .suspended
    case .resumed: .resumed
    case .locks: .locks
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
    case .listed: .listed
    case .signalled: .signalled
    case .woke: .woke
    case .recovered: .recovered
    case .damaged: .damaged
    case .fault: .fault
    case .clock: .clock
    }
  }
}
