package import PersistentHistory

/// One generated step of a plan: what is done, and the faults that strike while it is done.
package struct Command: Hashable, Sendable {
  /// What is done.
  package var action: Action
  /// What goes wrong meanwhile.
  package var faults: [PlannedFault]

  package init(_ action: Action, faults: [PlannedFault] = []) {
    self.action = action
    self.faults = faults
  }
}

/// What a command does; each case is one word of the plan format.
package enum Action: Hashable, Sendable {
  /// An actor saves changes as one transaction.
  case write(PlannedWrite)
  /// An actor changes every object that matches, as one transaction.
  case batch(PlannedBatch)
  /// An actor reads the clock and stages a transaction without taking the lock.
  case begin(PlannedWrite)
  /// An actor commits what it staged.
  case commit(ActorID)
  /// An actor starts: the first time it registers, later it loads its view anew.
  case launch(ActorID)
  /// An actor ends in order.
  case stop(ActorID)
  /// An actor loses what it had in memory.
  case crash(ActorID)
  /// An actor ends its membership.
  case retire(ActorID)
  /// An actor reads what is new.
  case fetch(ActorID)
  /// An actor brings what it fetched into its contexts.
  case merge(ActorID)
  /// An actor records how far it has merged.
  case record(ActorID)
  /// An actor fetches, merges, records, and purges if its strategy says so.
  case pass(ActorID)
  /// An actor purges what every member has merged.
  case purge(ActorID)
  /// An actor takes a new snapshot and moves its cursor to the head.
  case resync(ActorID)
  /// The process of an actor that a later launch has replaced does one more step.
  case belated(ActorID, BelatedStep)
  /// A consumer reads what is new and keeps its token.
  case consume(ActorID)
  /// A pending notification reaches an actor, or does not.
  case deliver(ActorID, SignalFate)
  /// An actor looks for itself whether something is new.
  case poll(ActorID, SignalFate)
  /// An actor tells what one of its contexts holds.
  case view(ActorID, context: String)
  /// The store tells what its data holds.
  case data
  /// The store tells what its history holds.
  case history
  /// The clock moves by seconds, which may be negative.
  case clock(advance: Double)

  /// The word of the plan format.
  package var word: String {
    switch self {
    case .write: "write"
    case .batch: "batch"
    case .begin: "begin"
    case .commit: "commit"
    case .launch: "launch"
    case .stop: "stop"
    case .crash: "crash"
    case .retire: "retire"
    case .fetch: "fetch"
    case .merge: "merge"
    case .record: "record"
    case .pass: "pass"
    case .purge: "purge"
    case .resync: "resync"
    case .belated: "belated"
    case .consume: "consume"
    case .deliver: "deliver"
    case .poll: "poll"
    case .view: "view"
    case .data: "data"
    case .history: "history"
    case .clock: "clock"
    }
  }

  /// The actor or consumer that acts, or nothing for the store and the clock.
  package var actor: ActorID? {
    switch self {
    case .write(let write), .begin(let write): write.actor
    case .batch(let batch): batch.actor
    case .commit(let actor), .launch(let actor), .stop(let actor), .crash(let actor),
      .retire(let actor), .fetch(let actor), .merge(let actor), .record(let actor),
      .pass(let actor), .purge(let actor), .resync(let actor), .consume(let actor),
      .belated(let actor, _), .deliver(let actor, _), .poll(let actor, _), .view(let actor, _):
      actor
    case .data, .history, .clock: nil
    }
  }
}

/// What a process still does that a later launch of its actor has replaced.
package enum BelatedStep: String, Hashable, Sendable, CaseIterable {
  case record
  case purge
  case resync
  case pass
  case fetch
}

/// What becomes of a notification.
package enum SignalFate: String, Hashable, Sendable, CaseIterable {
  case delivered
  case late
  case lost
  case doubled
}

/// Whose name a write carries.
package enum WriteAuthor: Hashable, Sendable {
  /// The actor's own author.
  case own
  /// None.
  case absent
  /// Another author.
  case other(String)
}

/// One object that a write inserts, updates or deletes.
package struct PlannedChange: Hashable, Sendable {
  package var type: ChangeType
  package var object: ObjectName
  /// What is set; empty for a delete.
  package var values: Values

  package init(_ type: ChangeType, _ object: ObjectName, _ values: Values = [:]) {
    self.type = type
    self.object = object
    self.values = values
  }
}

/// What a save does with objects that somebody else changed since its context read them; an object that
/// is gone stays gone.
package enum PlannedPolicy: String, Hashable, Sendable, CaseIterable {
  /// What the write sets is written over the store's row.
  case objectWins
  /// The write fails with `conflict`.
  case error
  /// Attribute by attribute, what the store changed stays; a delete is left out.
  case storeWins
  /// The whole object as the context has it is written over the store's row.
  case overwrite
  /// The object is left out.
  case rollback
}

/// A save through one of an actor's contexts.
package struct PlannedWrite: Hashable, Sendable {
  package var actor: ActorID
  /// `view`, `background`, `batch`, or the name of a context.
  package var context: String
  package var author: WriteAuthor
  package var changes: [PlannedChange]
  /// How conflicts end; in the context `batch` there are none.
  package var policy: PlannedPolicy
  /// Whether the clock moves before the write; under the condition `ties` it may not.
  package var ticks: Bool

  package init(
    actor: ActorID,
    context: String = "view",
    author: WriteAuthor = .own,
    changes: [PlannedChange],
    policy: PlannedPolicy = .objectWins,
    ticks: Bool = true
  ) {
    self.actor = actor
    self.context = context
    self.author = author
    self.changes = changes
    self.policy = policy
    self.ticks = ticks
  }
}

/// A batch request: an update or delete by predicate.
package struct PlannedBatch: Hashable, Sendable {
  package var actor: ActorID
  package var author: WriteAuthor
  /// Update or delete; objects are inserted in batches through a write in the context `batch`.
  package var type: ChangeType
  package var entity: String
  package var conditions: [PlannedCondition]
  package var values: Values

  package init(
    actor: ActorID,
    author: WriteAuthor = .own,
    type: ChangeType,
    entity: String,
    conditions: [PlannedCondition],
    values: Values = [:]
  ) {
    self.actor = actor
    self.author = author
    self.type = type
    self.entity = entity
    self.conditions = conditions
    self.values = values
  }
}
