package import PersistentHistory

/// What a program under test says that a command did: the keys of an answer of the wire.
///
/// What a command has nothing to say about is absent.
package struct WireAnswer: Hashable, Sendable {
  /// What was merged, consumed, or will be merged after a fetch, in order.
  package var transactions: [TransactionName]?
  /// What a pass fetched, if that is not what it merged.
  package var fetched: [TransactionName]?
  /// What observers were told.
  package var observed: [TransactionName]?
  /// What a merge hook finished.
  package var finished: [TransactionName]?
  /// What is gone from history.
  package var purged: [TransactionName]?
  /// The position that an actor has now.
  package var cursor: WirePosition?
  /// The position that a launch recorded when it caught up.
  package var recorded: WirePosition?
  /// What a write did, if it was one.
  package var write: WireWrite?
  /// What a view or the data hold.
  package var objects: Objects?
  /// What history holds, in order.
  package var history: [CommittedTransaction]?
  /// What the program's clock reads.
  package var now: Double?
  /// Whether a launch was the first one of a membership, if the program tells.
  package var isRegistered: Bool?
  /// Whether an actor that was signalled, or looked, found something new.
  package var hasWoken = false
  /// Whether the actor was told that its history is gone, and went on.
  package var isExpired = false
  /// Whether the actor was told that history is another one, and went on.
  package var isRewound = false
  /// The members that a retention limit has cut off.
  package var lost: [ActorID] = []
  /// The actors that a commit has signalled.
  package var signalled: [ActorID] = []

  package init() {}
}

/// A position in history as an answer tells it: a transaction, or nothing at the beginning.
package struct WirePosition: Hashable, Sendable {
  package var transaction: TransactionName?

  package init(_ transaction: TransactionName?) { self.transaction = transaction }
}

/// What a write did.
package enum WireWrite: Hashable, Sendable {
  /// Nothing took effect, and there is no transaction.
  case nothing
  case committed(CommittedTransaction)
}

/// Why a program could not do what a command asked, and what it had done by then.
package struct WireFailure: Error, Hashable, Sendable {
  package var failure: SystemFailure
  /// What was done before it failed.
  package var done: WireAnswer

  package init(_ failure: SystemFailure, done: WireAnswer = WireAnswer()) {
    self.failure = failure
    self.done = done
  }
}

/// What a program says of itself when it is greeted.
package struct WireHello: Hashable, Sendable {
  /// Its name.
  package var system: String
  package var version: String
  /// The words for what it can be asked to do, also those that this lab does not know.
  package var capabilities: [String]
  /// How it makes timestamps; if it does not say, they are the clock's raw readings.
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

/// What a write's answer leaves out because the lab knows it.
package struct WireWriter: Hashable, Sendable {
  package var author: String?
  package var context: String

  package init(author: String?, context: String) {
    self.author = author
    self.context = context
  }
}
