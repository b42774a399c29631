package import PersistentHistory

/// One thing that happened in a run.
package struct Event: Hashable, Sendable {
  /// Counts the events of a trace from 0.
  package var at: Int
  /// The scheduler's step: which command, closing rounds included.
  package var tick: Int
  /// Who it happened to, if it was an actor or consumer.
  package var actor: ActorID?
  /// What happened.
  package var happening: Happening

  package init(at: Int, tick: Int, actor: ActorID?, _ happening: Happening) {
    self.at = at
    self.tick = tick
    self.actor = actor
    self.happening = happening
  }
}

/// What happened; each case is one word of the trace format.
package enum Happening: Hashable, Sendable {
  /// A command was given: its position in the plan, or nothing in the closing phase; its word.
  case called(command: Int?, word: String)
  /// The command ended.
  case ended(command: Int?, Outcome)
  /// A command did not run because its actor was in the wrong state.
  case skipped(command: Int?, because: String)
  /// An actor became a member; its cursor is the head, or nothing in an empty history.
  case registered(cursor: TransactionName?)
  /// An actor started again with the cursor that it had recorded, if it had.
  case launched(cursor: TransactionName?)
  case stopped
  case crashed
  case retired
  /// A write took effect as one transaction.
  case committed(CommittedTransaction)
  /// A write took no effect and left no transaction.
  case wroteNothing
  /// An actor read the transactions that it will merge, in order.
  case fetched([TransactionName])
  /// An observer was told about a transaction.
  case observed([TransactionName])
  /// An actor brought transactions into its contexts, in order.
  case merged([TransactionName])
  /// A merge hook of an actor finished the merge of transactions: they count as merged, and what they
  /// changed is in none of its contexts unless the hook brought it there.
  case finished([TransactionName])
  /// An actor recorded that it has merged through a transaction.
  case recorded(cursor: TransactionName?)
  /// A consumer read transactions and kept its token.
  case consumed([TransactionName])
  /// Transactions left history.
  case purged([TransactionName])
  /// A member was cut off by a retention limit.
  case lost
  /// A member was told that history it needs is gone.
  case expired
  /// A member was told that history is another one than it knew.
  case rewound
  /// A member took a new snapshot at a cursor.
  case resynced(cursor: TransactionName?)
  /// A context of an actor told what it holds.
  case viewed(context: String, Objects)
  /// The store told what its data holds.
  case data(Objects)
  /// The store told what its history holds, in order.
  case history([CommittedTransaction])
  case signalled
  case woke
  /// After a power-off the store holds everything through a transaction.
  case recovered(through: TransactionName?)
  /// After a power-off the store is not whole, or cannot be opened.
  case damaged(because: String)
  case fault(PlannedFault)
  /// The clock was moved and now reads seconds since 2001-01-01 UTC.
  case clock(now: Double)
}

/// How a command ended.
package enum Outcome: Hashable, Sendable {
  case ok
  /// It took no effect.
  case failed(SystemFailure)
  /// Nobody knows whether it took effect.
  case unknown(SystemFailure)
}

/// Why a system could not do what a command asked.
package struct SystemFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: String, Hashable, Sendable, CaseIterable {
    case expired
    case rewound
    case superseded
    case inUse
    case conflict
    case busy
    case full
    case io
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

/// A transaction as the system says that it wrote or holds it.
package struct CommittedTransaction: Hashable, Sendable {
  package var name: TransactionName
  package var author: String?
  package var context: String?
  /// The registration and context that really wrote it, if the system knows.
  package var writer: String?
  /// Seconds since 2001-01-01 UTC.
  package var timestamp: Double
  package var changes: [CommittedChange]

  package init(
    name: TransactionName,
    author: String?,
    context: String?,
    writer: String?,
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
package struct CommittedChange: Hashable, Sendable {
  package var type: ChangeType
  package var object: ObjectName
  /// The attributes that an update set.
  package var columns: [String]
  /// What was set by the write, where the system tells it.
  package var values: Values
  /// What a delete left behind, where the system tells it.
  package var tombstone: Values?

  package init(
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
