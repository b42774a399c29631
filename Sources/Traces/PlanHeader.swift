package import PersistentHistory

/// How a store makes the timestamps of its transactions.
package enum TimestampPolicy: String, Hashable, Sendable, CaseIterable {
  /// max(clock, previous + 1 us): a date is a position.
  case monotone
  /// The raw reading, ties and steps back included, as Core Data keeps it.
  case wallClock
}

/// What makes an actor pass.
package enum Drive: String, Hashable, Sendable, CaseIterable {
  /// The plan's own commands.
  case commands
  /// Signals that are delivered.
  case signals
}

/// When a commit waits for the disk.
package enum PlannedSynchronous: String, Hashable, Sendable, CaseIterable {
  /// Commits are atomic; a power-off may lose the newest ones.
  case normal
  /// An acknowledged commit survives a power-off.
  case full
}

/// Whether a second process of an actor that runs is refused.
package enum PlannedLocks: String, Hashable, Sendable, CaseIterable {
  /// It is.
  case held
  /// Nobody can tell that the first one runs: the second replaces it.
  case none
}

/// Where consumers keep their tokens.
package enum PlannedTokens: String, Hashable, Sendable, CaseIterable {
  /// In the store.
  case store
  /// In a place of their own besides, from which no power-off takes them back.
  case own
}

/// Limits beyond which a member is lost; absent limits are off.
package struct PlannedRetention: Hashable, Sendable {
  /// Seconds against the newest transaction.
  package var age: Double?
  /// Transactions behind the head.
  package var transactions: Int?
  /// Bytes of history behind the head.
  package var bytes: Int?

  package init(age: Double? = nil, transactions: Int? = nil, bytes: Int? = nil) {
    self.age = age
    self.transactions = transactions
    self.bytes = bytes
  }
}

/// One actor of a plan, with its own configuration where it differs from the plan's.
package struct PlannedActor: Hashable, Sendable {
  /// The actor's name in the plan.
  package var id: ActorID
  /// The author of its own writes; absent is allowed.
  package var author: String?
  /// Whether it is launched before the first command.
  package var launched = true
  /// The authors that it believes to exist, if it differs from all actors' authors.
  package var allAuthors: [String]?
  /// The batch authors that it believes to exist, if they differ from the plan's.
  package var batchAuthors: [String]?
  /// The authors whose transactions it does not merge.
  package var ignores: [String]?
  /// The number of contexts that it merges into, if more than one.
  package var contexts: Int?
  /// How many transactions it fetches, merges and records at a time, if fewer than by default.
  package var page: Int?
  /// When it purges after a pass, in the system's words.
  package var strategy: String?
  /// Whether its cursors lie in a defaults store shared with the others (`shared` or `own`).
  package var cursors: String?
  /// Its hooks, in the system's words.
  package var hooks: [String]?

  package init(_ id: ActorID, author: String?, launched: Bool = true) {
    self.id = id
    self.author = author
    self.launched = launched
  }
}

/// What drives a tracker of ours.
package enum PlannedDriver: String, Sendable, Hashable, CaseIterable {
  /// Its core directly, without tasks, unless the plan has signals.
  case core
  /// The actor with its tasks, as in an app.
  case actor
}

/// What a plan says before its commands: the clock, the model and who takes part.
package struct PlanHeader: Hashable, Sendable {
  /// The version of the plan format.
  package static let version = 1
  /// The seed that the plan was made from; 0 for a plan written by hand.
  package var seed: UInt64 = 0
  /// Seconds that the clock moves before each write or begin.
  package var step: Double = 1
  /// How the store makes timestamps.
  package var timestamps: TimestampPolicy = .monotone
  /// What makes an actor pass.
  package var drive: Drive = .commands
  /// What drives our trackers; other systems have one way only.
  package var driver: PlannedDriver = .core
  /// When a commit waits for the disk.
  package var synchronous: PlannedSynchronous = .normal
  /// How many pages the write-ahead log takes before it is copied into the file, if the plan says.
  package var checkpointPages: Int?
  /// Whether a second process of an actor that runs is refused.
  package var locks: PlannedLocks = .held
  /// Where the consumers keep their tokens.
  package var tokens: PlannedTokens = .store
  /// The entities of the store.
  package var model: Model
  /// The actors, launched in this order.
  package var actors: [PlannedActor]
  /// The consumers without a view.
  package var consumers: [ActorID] = []
  /// Authors that only write and are no members.
  package var batchAuthors: [String] = []
  /// Authors whose transactions are never purged; a trailing `*` stands for any ending.
  package var protectedAuthors: [String] = []
  /// The limits beyond which a member is lost, if any.
  package var retention: PlannedRetention?

  package init(model: Model, actors: [PlannedActor]) {
    self.model = model
    self.actors = actors
  }

  /// The actor with a name, or nothing.
  package func actor(_ id: ActorID) -> PlannedActor? { actors.first { $0.id == id } }
}

/// The whole generated test input: who takes part and what they do, in order.
package struct Plan: Hashable, Sendable {
  /// What holds for the whole plan.
  package var header: PlanHeader
  /// The steps, in the order in which they run.
  package var commands: [Command]

  package init(header: PlanHeader, commands: [Command]) {
    self.header = header
    self.commands = commands
  }
}
