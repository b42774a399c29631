package import HistoryTypes

/// The rule by which a store assigns timestamps to transactions.
package enum TimestampPolicy: String, Hashable, Sendable, CaseIterable {
  /// max(clock, previous + 1 us), so that a date identifies a position.
  case monotone
  /// The raw clock value, including ties and backward steps, as Core Data stores it.
  case wallClock
}

/// The trigger of an actor's passes.
package enum Drive: String, Hashable, Sendable, CaseIterable {
  /// The plan's own commands.
  case commands
  /// Delivered signals.
  case signals
}

/// The durability of commits, as in SQLite's `synchronous` pragma.
package enum PlannedSynchronous: String, Hashable, Sendable, CaseIterable {
  /// Commits are atomic; a power-off may lose the newest ones.
  case normal
  /// An acknowledged commit survives a power-off.
  case full
}

/// The detection of a second process for a running actor.
package enum PlannedLocks: String, Hashable, Sendable, CaseIterable {
  /// The second process is refused.
  case held
  /// The running process is not detected: the second one replaces it.
  case none
}

/// The place where consumers keep their tokens.
package enum PlannedTokens: String, Hashable, Sendable, CaseIterable {
  /// In the store.
  case store
  /// In the store and in a place of their own, which no power-off reverts.
  case own
}

/// The retention limits beyond which a member is lost; absent limits are off.
package struct PlannedRetention: Hashable, Sendable {
  /// The maximum age in seconds, relative to the newest transaction.
  package var age: Double?
  /// The maximum number of transactions behind the head.
  package var transactions: Int?
  /// The maximum number of bytes of history behind the head.
  package var bytes: Int?

  package init(age: Double? = nil, transactions: Int? = nil, bytes: Int? = nil) {
    self.age = age
    self.transactions = transactions
    self.bytes = bytes
  }
}

/// One actor of a plan, with the configuration in which it differs from the plan's.
package struct PlannedActor: Hashable, Sendable {
  /// The actor's name in the plan.
  package var id: ActorID
  /// The author of the actor's own writes, or `nil` for none.
  package var author: String?
  /// Whether the actor is launched before the first command; the default is `true`.
  package var launched = true
  /// The authors that the actor assumes to exist, if they differ from all actors' authors.
  package var allAuthors: [String]?
  /// The batch authors that the actor assumes to exist, if they differ from the plan's.
  package var batchAuthors: [String]?
  /// The authors whose transactions the actor does not merge.
  package var ignores: [String]?
  /// The number of contexts that the actor merges into; `nil` means one.
  package var contexts: Int?
  /// The number of transactions fetched, merged and recorded at a time, if below the default.
  package var page: Int?
  /// The purge strategy after a pass, as a word of the system.
  package var strategy: String?
  /// The place of the actor's cursors: a shared defaults store (`shared`) or its own (`own`).
  package var cursors: String?
  /// The actor's hooks, as words of the system.
  package var hooks: [String]?

  package init(_ id: ActorID, author: String?, launched: Bool = true) {
    self.id = id
    self.author = author
    self.launched = launched
  }
}

/// The driver of this project's trackers.
package enum PlannedDriver: String, Sendable, Hashable, CaseIterable {
  /// The tracker's core, called directly without tasks, unless the plan is driven by signals.
  case core
  /// The tracker actor with its tasks, as in an app.
  case actor
}

/// The header of a plan: the clock, the model, the actors and the consumers.
package struct PlanHeader: Hashable, Sendable {
  /// The version of the plan format.
  package static let version = 1
  /// The seed that generated the plan; 0 for a plan written by hand.
  package var seed: UInt64 = 0
  /// The seconds that the clock advances before each write or begin; the default is 1.
  package var step: Double = 1
  /// The rule for timestamps; the default is `monotone`.
  package var timestamps: TimestampPolicy = .monotone
  /// The trigger of passes; the default is `commands`.
  package var drive: Drive = .commands
  /// The driver of this project's trackers; it has no effect on other systems.
  package var driver: PlannedDriver = .core
  /// The durability of commits; the default is `normal`.
  package var synchronous: PlannedSynchronous = .normal
  /// The write-ahead log's size in pages that triggers a checkpoint, or `nil` for the default.
  package var checkpointPages: Int?
  /// The detection of a second process for a running actor; the default is `held`.
  package var locks: PlannedLocks = .held
  /// The place where consumers keep their tokens; the default is `store`.
  package var tokens: PlannedTokens = .store
  /// The entities of the store.
  package var model: Model
  /// The actors, launched in this order.
  package var actors: [PlannedActor]
  /// The consumers, which have no view.
  package var consumers: [ActorID] = []
  /// The authors that only write and are not members.
  package var batchAuthors: [String] = []
  /// The authors whose transactions are never purged; a trailing `*` matches any suffix.
  package var protectedAuthors: [String] = []
  /// The limits beyond which a member is lost, or `nil` for none.
  package var retention: PlannedRetention?

  package init(model: Model, actors: [PlannedActor]) {
    self.model = model
    self.actors = actors
  }

  /// Returns the actor with an id, or `nil`.
  package func actor(_ id: ActorID) -> PlannedActor? { actors.first { $0.id == id } }
}

/// A complete generated test input: the header and the commands, in order.
package struct Plan: Hashable, Sendable {
  /// The configuration of the plan.
  package var header: PlanHeader
  /// The commands, in the order in which they run.
  package var commands: [Command]

  package init(header: PlanHeader, commands: [Command]) {
    self.header = header
    self.commands = commands
  }
}

/// A hook of a planned actor, named by the word that plans use for this project's tracker.
package enum PlannedHook: String, CaseIterable, Sendable {
  /// An observer that notes every group of changes.
  case observer
  /// A merge hook that throws at every third call; the pass fails and is repeated.
  case retry = "throws-retry"
  /// A merge hook that throws at every third call; that call is skipped.
  case skip = "throws-skip"
  /// An observer that throws at every third call; the pass fails and is repeated.
  case observerRetry = "observer-throws-retry"
  /// As ``retry``, but the first and then every other call throws.
  case retryAlternating = "throws-retry-alternating"
  /// As ``skip``, but the first and then every other call throws.
  case skipAlternating = "throws-skip-alternating"
  /// As ``observerRetry``, but the first and then every other call throws.
  case observerRetryAlternating = "observer-throws-retry-alternating"

  /// A merge hook that finishes the merge itself at every third call.
  ///
  /// The fetched transactions then count as merged, and an event reports it.
  case finish = "finishes"

  /// The hooks of random plans, which throw or finish the merge at every third call.
  package static let failing: [PlannedHook] = [.retry, .skip, .observerRetry, .finish]
  /// The hooks of short plans, which throw at every other call so that few calls suffice.
  package static let alternating: [PlannedHook] = [
    .retryAlternating, .skipAlternating, .observerRetryAlternating,
  ]

  /// Whether the hook notes the changes that observers receive.
  package var observes: Bool {
    self == .observer || self == .observerRetry || self == .observerRetryAlternating
  }

  /// Whether the hook is called before each merge.
  package var merges: Bool { !observes }

  /// Returns whether the call with a number, counted from 1, throws or finishes the merge.
  package func fails(at call: Int) -> Bool {
    switch self {
    case .observer: false
    case .retry, .skip, .observerRetry, .finish: call.isMultiple(of: 3)
    case .retryAlternating, .skipAlternating, .observerRetryAlternating: !call.isMultiple(of: 2)
    }
  }

  /// The number of calls after which the behaviour of every hook repeats.
  package static let period = 6
}

extension PlannedActor {
  /// Returns the name of one of an actor's contexts, counted from 0.
  package static func contextName(_ index: Int) -> String {
    index == 0 ? "view" : "view-\(index + 1)"
  }

  /// The names of the contexts that the actor merges into.
  package var contextNames: [String] { (0..<max(contexts ?? 1, 1)).map(Self.contextName) }
}

/// Delays and limits, in ticks, of signals in plans that are driven by signals.
///
/// A tick is one command of any actor. A signal that the plan does not mention arrives by itself,
/// and actors poll at intervals, so that a plan keeps its meaning when a command is removed from
/// it.
package enum SignalTicks {
  /// The ticks until a signal arrives.
  package static let delivery = 4
  /// The additional ticks until a late signal arrives.
  package static let lateness = 12
  /// The ticks between two polls of an actor that can poll.
  package static let poll = 32
  /// The ticks within which an actor passes if no signal or poll was late or lost.
  package static let bound = 16
  /// The ticks within which an actor passes even if signals or polls were late or lost.
  package static let boundAtWorst = 80
}
