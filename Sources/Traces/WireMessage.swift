import HistoryTypes

/// A request from the lab to a program under test.
package enum WireRequest: Hashable, Sendable {
  /// Requests the program's name and capabilities.
  case hello
  /// Replaces the store with an empty one for a new plan.
  case reset(PlanHeader)
  case command(Action)
  /// Disables all faults: hooks stop throwing.
  case recover
  /// Ends the program.
  case bye

  /// The value of the key `do` in the message.
  package var word: String {
    switch self {
    case .hello: "hello"
    case .reset: "reset"
    case .command(let action): action.word
    case .recover: "heal"
    case .bye: "bye"
    }
  }

  /// The words of all requests.
  package static var words: [String] {
    ["hello", "reset", "heal", "bye"] + CommandWord.allCases.map(\.rawValue)
  }
}

/// A request as received over the wire.
package struct WireMessage: Hashable, Sendable {
  /// The id of the request, which the answer must repeat.
  package var id: Int
  package var request: WireRequest
  /// The plan's clock value, in seconds since 2001-01-01 UTC; `nil` if the lab does not send it.
  package var now: Double?

  package init(id: Int, request: WireRequest, now: Double? = nil) {
    self.id = id
    self.request = request
    self.now = now
  }
}

/// The refusal of a request that could not be read, with the request's id if the id was readable.
package struct WireRefusal: Error, Hashable, Sendable {
  package var id: Int?
  package var failure: SystemFailure
}

/// The effects of a command as a program under test reports them: the keys of a wire answer.
///
/// A key that does not apply to the command is `nil` or has its default value.
package struct WireAnswer: Hashable, Sendable {
  /// The merged or consumed transactions, in order; after a fetch, the transactions to merge.
  package var transactions: [TransactionName]?
  /// The transactions that a pass fetched, if they differ from the merged ones.
  package var fetched: [TransactionName]?
  /// The transactions that observers received.
  package var observed: [TransactionName]?
  /// The transactions for which a merge hook replaced the default merge.
  package var finished: [TransactionName]?
  /// The transactions that were purged from history.
  package var purged: [TransactionName]?
  /// The actor's current position.
  package var cursor: WirePosition?
  /// The position that a launch recorded after it caught up with the history that the actor had missed.
  ///
  /// `nil` if the launch did not catch up.
  package var recorded: WirePosition?
  /// The effect of the command on the store; `nil` if the command was no write.
  package var write: WireWrite?
  /// The objects of a context, or of the store.
  package var objects: Objects?
  /// The contents of history, in order.
  package var history: [CommittedTransaction]?
  /// The clock value of the program, in seconds since 2001-01-01 UTC.
  package var now: Double?
  /// Whether a launch was the first of its membership; `nil` if the program does not report it.
  package var isRegistered: Bool?
  /// Whether an actor found new transactions after a signal or a poll.
  package var hasWoken = false
  /// Whether a request of the actor failed because history that the actor still needs was purged.
  ///
  /// The actor handled this error and went on with the command. If the command itself failed with
  /// the error, the code of the command's failure reports the error instead.
  package var isExpired = false
  /// Whether a request of the actor failed because history was replaced.
  ///
  /// The actor handled this error and went on with the command. If the command itself failed with
  /// the error, the code of the command's failure reports the error instead.
  package var isRewound = false
  /// The members that a retention limit cut off.
  package var lost: [ActorID] = []
  /// The actors that a commit notified.
  package var signalled: [ActorID] = []

  package init() {}
}

/// A position in history: a transaction, or `nil` for the beginning.
package struct WirePosition: Hashable, Sendable {
  package var transaction: TransactionName?

  package init(_ transaction: TransactionName?) { self.transaction = transaction }
}

/// The effect of a write.
package enum WireWrite: Hashable, Sendable {
  /// The write had no effect and left no transaction.
  case nothing
  case committed(CommittedTransaction)
}

/// The reason why a command failed in a program, and the command's effects before it failed.
package struct WireFailure: Error, Hashable, Sendable {
  package var failure: SystemFailure
  /// The effects that the command had before it failed.
  package var done: WireAnswer

  package init(_ failure: SystemFailure, done: WireAnswer = WireAnswer()) {
    self.failure = failure
    self.done = done
  }
}

/// The answer of a program to a greeting.
package struct WireHello: Hashable, Sendable {
  /// The program's name.
  package var system: String
  package var version: String
  /// The words for the program's capabilities, including words that this lab does not know.
  package var capabilities: [String]
  /// The rule for timestamps; the default is `wallClock`.
  package var timestamps: TimestampPolicy

  package init(
    system: String,
    version: String,
    capabilities: [String],
    timestamps: TimestampPolicy = .wallClock
  ) {
    self.system = system
    self.version = version
    self.capabilities = capabilities
    self.timestamps = timestamps
  }
}

/// The properties of a write that a program's answer may omit, because the lab knows them from the plan.
package struct WireWriter: Hashable, Sendable {
  package var author: String?
  package var context: String

  package init(author: String?, context: String) {
    self.author = author
    self.context = context
  }
}
