package import HistoryTypes

/// The rule by which a plan's store assigns timestamps to transactions.
package enum TimestampPolicy: String, Hashable, Sendable, CaseIterable {
  /// The timestamp is max(clock, previous + 1 microsecond), so that a date identifies a position.
  case monotone
  /// The timestamp is the raw clock value, as in Core Data; ties and backward steps are possible.
  case wallClock
}

/// The trigger of an actor's passes, in which it fetches and merges new transactions.
package enum Drive: String, Hashable, Sendable, CaseIterable {
  /// The plan's commands `pass`, `fetch`, `merge` and `record` make the passes.
  case commands
  /// Delivered signals trigger the passes.
  case signals
}

/// The durability of commits, by SQLite's pragma `synchronous`.
package enum PlannedSynchronous: String, Hashable, Sendable, CaseIterable {
  /// Commits are atomic; a power-off may lose the newest commits.
  case normal
  /// An acknowledged commit is not lost in a power-off.
  case full
}

/// Whether the store detects a second process of an actor that is already running.
package enum PlannedLocks: String, Hashable, Sendable, CaseIterable {
  /// The store refuses a second process that is launched as an actor that already runs.
  case held
  /// The store does not detect that an actor runs: a second launch replaces its first process.
  case none
}

/// The place where consumers keep their tokens.
package enum PlannedTokens: String, Hashable, Sendable, CaseIterable {
  /// Consumers keep their tokens in the store.
  case store
  /// Consumers keep their tokens in the store, and also outside it, where no power-off rolls them
  /// back.
  case own
}

/// Whether history includes writes that programs without this library make to the store's file.
package enum PlannedForeignWrites: String, Hashable, Sendable, CaseIterable {
  /// History does not contain the writes of programs without this library.
  case unwatched
  /// The writes of programs without this library become transactions of history.
  case captured
}

/// The retention limits of a plan; a member that is behind by more than a limit is cut off.
///
/// A limit of `nil` does not apply.
package struct PlannedRetention: Hashable, Sendable {
  /// The maximum age of unmerged transactions in seconds, measured from the newest transaction.
  package var age: Double?
  /// The maximum number of transactions that a member may be behind the newest one.
  package var transactions: Int?
  /// The maximum number of bytes of history that a member may be behind the newest transaction.
  package var bytes: Int?

  package init(age: Double? = nil, transactions: Int? = nil, bytes: Int? = nil) {
    self.age = age
    self.transactions = transactions
    self.bytes = bytes
  }
}

/// One actor of a plan, with settings that override those of the plan for this actor.
package struct PlannedActor: Hashable, Sendable {
  /// The actor's name in the plan.
  package var id: ActorID
  /// The author of the actor's own writes; `nil` if they have none.
  package var author: String?
  /// Whether the actor is launched before the first command; the default is `true`.
  package var launched = true
  /// The authors that the actor expects to write to the store.
  ///
  /// In published designs, `nil` means the authors of all actors. A tracker then declares no authors.
  package var allAuthors: [String]?
  /// The authors that the actor expects to write without being members.
  ///
  /// `nil` means the plan's batch authors.
  package var batchAuthors: [String]?
  /// The authors whose transactions the actor does not merge.
  package var ignores: [String]?
  /// The number of contexts that the actor merges into; `nil` means one.
  package var contexts: Int?
  /// The maximum number of transactions in one fetch; `nil` means the default of the system.
  package var page: Int?
  /// Whether the actor's contexts contain only objects that the actor edits; the default is `false`.
  ///
  /// If `false`, a launch reads all objects into the contexts.
  package var isPartial = false
  /// The name of the strategy that decides whether the actor purges after a pass.
  ///
  /// `nil` means the default of the system.
  package var strategy: String?
  /// The age limit of purges by age, in seconds; `nil` means the default of the system.
  package var maximumDuration: Double?
  /// The `UserDefaults` in which the actor keeps its cursors.
  ///
  /// `shared` means that all actors use the same `UserDefaults`, and `own` that this actor uses its
  /// own.
  package var cursors: String?
  /// The actor's hooks, as words that the system knows, such as those of ``PlannedHook``.
  package var hooks: [String]?
  /// The version of the model that the actor's program has; `nil` means the plan's model.
  package var modelVersion: Int?

  package init(_ id: ActorID, author: String?, launched: Bool = true) {
    self.id = id
    self.author = author
    self.launched = launched
  }
}

/// The way in which this project's tracker runs in a plan.
package enum PlannedDriver: String, Sendable, Hashable, CaseIterable {
  /// The tracker's synchronous core is called directly.
  ///
  /// If signals trigger the plan's passes, the tracker runs as in ``actor`` instead.
  case core
  /// The tracker runs as a Swift actor with its tasks, as in an app.
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
  /// The trigger of passes (fetch, merge and record); the default is `commands`.
  package var drive: Drive = .commands
  /// The way in which this project's tracker runs; other systems ignore it.
  package var driver: PlannedDriver = .core
  /// The durability of commits; the default is `normal`.
  package var synchronous: PlannedSynchronous = .normal
  /// The size of the write-ahead log, in pages, that triggers a checkpoint.
  ///
  /// `nil` means the default of the store.
  package var checkpointPages: Int?
  /// Whether the store refuses a second process of a running actor; by default (`held`), it does.
  package var locks: PlannedLocks = .held
  /// The place where consumers keep their tokens; the default is `store`.
  package var tokens: PlannedTokens = .store
  /// Whether history includes writes that programs without this library make to the file.
  ///
  /// The default, `unwatched`, excludes them.
  package var foreignWrites: PlannedForeignWrites = .unwatched
  /// The entities of the store.
  package var model: Model
  /// The actors, launched in this order.
  package var actors: [PlannedActor]
  /// The consumers: members that read history but have no in-memory contexts.
  package var consumers: [ActorID] = []
  /// Authors that only write, with batch requests, and never register as members.
  package var batchAuthors: [String] = []
  /// The authors whose transactions are never purged; a trailing `*` matches any suffix.
  package var protectedAuthors: [String] = []
  /// The retention limits, which cut off members that are too far behind; `nil` for none.
  package var retention: PlannedRetention?
  /// The objects that the store contains before the first command of the plan.
  ///
  /// The first running actor inserts these objects. The consumers and the other actors are launched
  /// later, so they need not merge the inserts.
  package var objects: Objects = [:]

  package init(model: Model, actors: [PlannedActor]) {
    self.model = model
    self.actors = actors
  }

  /// Returns the actor with an id, or `nil`.
  package func actor(_ id: ActorID) -> PlannedActor? { actors.first { $0.id == id } }

  /// The write that inserts ``objects``; `nil` if there are none, or if no actor runs at the start.
  package var openingWrite: PlannedWrite? {
    guard !objects.isEmpty, let writer = actors.first(where: \.launched) else { return nil }
    let inserts = objects.sorted { $0.key < $1.key }.map { PlannedChange(.insert, $0, $1) }
    return PlannedWrite(actor: writer.id, changes: inserts)
  }
}

/// The versions of a plan's model.
extension PlanHeader {
  /// Whether the store is created with ``olderModel`` instead of the plan's model.
  package var hasOlderModel: Bool { model.version > 1 }

  /// The older version of the plan's model, which lacks the attributes that have default values.
  ///
  /// The older version also lacks an entity if all attributes of the entity have default values.
  package var olderModel: Model {
    guard hasOlderModel else { return model }
    let entities = model.entities.map { Entity($0.name, $0.attributes.filter(\.isOlder)) }
    return Model(unchecked: entities.filter { !$0.attributes.isEmpty })
  }

  /// Returns whether an actor's program has the older version of the model.
  package func isOlder(_ actor: ActorID) -> Bool {
    hasOlderModel && self.actor(actor)?.modelVersion == 1
  }

  /// Returns the model of an actor's program.
  package func model(of actor: ActorID) -> Model { isOlder(actor) ? olderModel : model }
}

/// The relations of a plan's model.
extension PlanHeader {
  /// Whether any entity of the plan's model has references or uniqueness constraints.
  ///
  /// A write may then also change objects that it does not name.
  package var hasRelations: Bool { model.hasRelations }
}

extension Model {
  /// Whether any entity has references or uniqueness constraints.
  package var hasRelations: Bool {
    entities.contains { entity in
      !entity.uniquenessConstraints.isEmpty || entity.attributes.contains { $0.reference != nil }
    }
  }
}

extension Attribute {
  /// Whether the older version of a plan's model has the attribute.
  package var isOlder: Bool { defaultValue == .null }
}

/// A complete generated test input: the header and the commands, in order.
package struct Plan: Hashable, Sendable {
  package var header: PlanHeader
  /// The commands, in the order in which they run.
  package var commands: [Command]

  package init(header: PlanHeader, commands: [Command]) {
    self.header = header
    self.commands = commands
  }
}

/// A hook of an actor; the raw value is the hook's name in plans.
package enum PlannedHook: String, CaseIterable, Sendable {
  /// An observer that records every group of changes that it receives.
  case observer
  /// A merge hook that throws at every third call; the pass then fails and is repeated.
  case retry = "throws-retry"
  /// A merge hook that throws at every third call; the pass then abandons that call and continues.
  case skip = "throws-skip"
  /// An observer that throws at every third call; the pass then fails and is repeated.
  case observerRetry = "observer-throws-retry"
  /// A merge hook like ``retry`` that throws at every odd-numbered call: 1, 3, 5 and so on.
  case retryAlternating = "throws-retry-alternating"
  /// A merge hook like ``skip`` that throws at every odd-numbered call: 1, 3, 5 and so on.
  case skipAlternating = "throws-skip-alternating"
  /// An observer like ``observerRetry`` that throws at every odd-numbered call: 1, 3, 5 and so on.
  case observerRetryAlternating = "observer-throws-retry-alternating"

  /// A merge hook that replaces the default merge at every third call.
  ///
  /// The fetched transactions then count as merged, and the trace has the event `finished`.
  case finish = "finishes"

  /// The failing hooks from which random plans choose.
  ///
  /// Each of them throws, or replaces the default merge, at every third call.
  package static let failing: [PlannedHook] = [.retry, .skip, .observerRetry, .finish]
  /// The hooks that throw at calls 1, 3, 5 and so on, so that they throw in short plans too.
  package static let alternating: [PlannedHook] = [
    .retryAlternating, .skipAlternating, .observerRetryAlternating,
  ]

  /// Whether the hook is an observer, which records the changes that it receives.
  package var observes: Bool {
    self == .observer || self == .observerRetry || self == .observerRetryAlternating
  }

  /// Whether the hook is called before each merge.
  package var merges: Bool { !observes }

  /// Returns whether a call of the hook, counted from 1, throws or replaces the default merge.
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
  /// Returns the name of the actor's context at an index; the context at index 0 is the view.
  package static func contextName(_ index: Int) -> String {
    index == 0 ? "view" : "view-\(index + 1)"
  }

  /// The names of the contexts that the actor merges into.
  package var contextNames: [String] { (0..<max(contexts ?? 1, 1)).map(Self.contextName) }
}

/// The delays and limits, in ticks, that apply to plans in which signals trigger the passes.
///
/// A tick is one command of any actor. A signal for which the plan has no `deliver` command arrives
/// after ``delivery`` ticks, and actors poll at intervals. The plan therefore stays valid when
/// shrinking removes a command.
package enum SignalTicks {
  /// The ticks (commands of any actor) after which a signal without a `deliver` command arrives.
  package static let delivery = 4
  /// The delay, in ticks, of a command `deliver` or `poll` that the plan marks as `late`.
  package static let lateness = 12
  /// The ticks (commands of any actor) between two polls of an actor, in a system that can poll.
  package static let poll = 32
  /// The ticks within which an actor makes a pass if none of its signals or polls was late or lost.
  ///
  /// In a pass, the actor fetches and merges new transactions. A tick is one command of any actor.
  package static let bound = 16
  /// The ticks within which an actor makes a pass even if its signals or polls were late or lost.
  package static let boundAtWorst = 80
}
