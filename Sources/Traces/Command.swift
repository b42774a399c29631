public import HistoryTypes

/// One generated step of a plan: an action and the faults injected while it runs.
package struct Command: Hashable, Sendable {
  package var action: Action
  /// The faults injected while the action runs.
  package var faults: [PlannedFault]

  package init(_ action: Action, faults: [PlannedFault] = []) {
    self.action = action
    self.faults = faults
  }
}

/// The action of a command; in plans, the value of the key `do` selects the case.
package enum Action: Hashable, Sendable {
  /// An actor saves changes as one transaction.
  case write(PlannedWrite)
  /// An actor updates or deletes every object that matches a predicate, as one transaction.
  case batch(PlannedBatch)
  /// An actor takes a timestamp and stages a transaction without acquiring the write lock.
  case begin(PlannedWrite)
  /// An actor commits its staged transaction.
  case commit(ActorID)
  /// An actor starts: it registers on the first launch and reloads its view on later ones.
  case launch(ActorID)
  /// An actor shuts down normally.
  case stop(ActorID)
  /// An actor loses its in-memory state.
  case crash(ActorID)
  /// An actor unregisters as a member.
  case retire(ActorID)
  /// An actor suspends its store, because its process is about to be suspended.
  case suspend(ActorID)
  /// An actor resumes its store, because its process continues.
  case resume(ActorID)
  /// An actor fetches new transactions.
  case fetch(ActorID)
  /// An actor merges the fetched transactions into its contexts.
  case merge(ActorID)
  /// An actor records its cursor: the last transaction that it has merged.
  case record(ActorID)
  /// An actor fetches, merges and records, and purges if its strategy requires it.
  case pass(ActorID)
  /// An actor purges the transactions that every member has merged.
  case purge(ActorID)
  /// An actor takes a new snapshot of the data and moves its cursor to the newest transaction.
  case resync(ActorID)
  /// An old process of an actor, which a later launch has replaced, performs one more step.
  case belated(ActorID, BelatedStep)
  /// An actor requests history, or purges a part of it.
  case query(PlannedQuery)
  /// An actor's view context starts a live query, whose results are reported from then on.
  case watch(PlannedWatch)
  /// A consumer reads new transactions and stores its token.
  case consume(ActorID)
  /// A consumer reads history page by page, and may stop in the middle.
  case read(PlannedReading)
  /// The signal of a commit reaches an actor in time, late, twice or not at all.
  case deliver(ActorID, SignalFate)
  /// An actor polls for new transactions in time, late, twice or not at all.
  case poll(ActorID, SignalFate)
  /// An actor reports the objects in one of its contexts, for the trace.
  case view(ActorID, context: String)
  /// The store reports all of its objects, for the trace.
  case data
  /// The store reports all transactions of its history, for the trace.
  case history
  /// The clock moves by a number of seconds, which may be negative.
  case clock(advance: Double)

  /// The action's name in plans: the value of the key `do`.
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
    case .suspend: "suspend"
    case .resume: "resume"
    case .fetch: "fetch"
    case .merge: "merge"
    case .record: "record"
    case .pass: "pass"
    case .purge: "purge"
    case .resync: "resync"
    case .belated: "belated"
    case .query: "query"
    case .watch: "watch"
    case .consume: "consume"
    case .read: "read"
    case .deliver: "deliver"
    case .poll: "poll"
    case .view: "view"
    case .data: "data"
    case .history: "history"
    case .clock: "clock"
    }
  }

  /// The actor or consumer that performs the command; `nil` for the store and the clock.
  package var actor: ActorID? {
    switch self {
    case .write(let write), .begin(let write): write.actor
    case .batch(let batch): batch.actor
    case .query(let query): query.actor
    case .watch(let watch): watch.actor
    case .read(let reading): reading.consumer
    case .commit(let actor), .launch(let actor), .stop(let actor), .crash(let actor),
      .retire(let actor), .suspend(let actor), .resume(let actor), .fetch(let actor),
      .merge(let actor), .record(let actor),
      .pass(let actor), .purge(let actor), .resync(let actor), .consume(let actor),
      .belated(let actor, _), .deliver(let actor, _), .poll(let actor, _), .view(let actor, _):
      actor
    case .data, .history, .clock: nil
    }
  }
}

/// A step that an old process of an actor performs after a later launch has replaced the process.
package enum BelatedStep: String, Hashable, Sendable, CaseIterable {
  case record
  case purge
  case resync
  case pass
  case fetch
}

/// Whether a notification or poll happens in time, late, not at all, or twice.
package enum SignalFate: String, Hashable, Sendable, CaseIterable {
  case delivered
  case late
  case lost
  case doubled
}

/// The author recorded with a write.
package enum WriteAuthor: Hashable, Sendable {
  /// The actor's own author.
  case own
  /// No author.
  case absent
  /// An author that the plan names, instead of the actor's own.
  case other(String)
}

/// One object that a write inserts, updates or deletes.
public struct PlannedChange: Hashable, Sendable {
  /// The change type: insert, update or delete.
  public var type: ChangeType
  /// The changed object.
  public var object: ObjectName
  /// The attribute values to set; empty for a delete.
  public var values: Values

  /// Creates a change, such as `PlannedChange(.insert, ObjectName("Item", 1), ["count": 1])`.
  public init(_ type: ChangeType, _ object: ObjectName, _ values: Values = [:]) {
    self.type = type
    self.object = object
    self.values = values
  }
}

/// The merge policy of a save: the rule for conflicts.
///
/// A conflict is an object that another writer changed after the saving context read the object.
///
/// Objects that another writer deleted stay deleted.
package enum PlannedPolicy: String, Hashable, Sendable, CaseIterable {
  /// The store's row gets the values of the write.
  case objectWins
  /// A write that has a conflict fails with `conflict`, and none of its changes is saved.
  case error
  /// The store's changes are kept, attribute by attribute; the write's other values are saved.
  ///
  /// If the write deletes the object, the delete is skipped.
  case storeWins
  /// All values of the object in its context, changed or not, overwrite the store's row.
  case overwrite
  /// The write's changes of the object are discarded; all of the store's values stay.
  case rollback
}

/// A save through one of an actor's contexts.
package struct PlannedWrite: Hashable, Sendable {
  package var actor: ActorID
  /// The context that saves: `view`, `background`, `batch`, or the name of another context.
  package var context: String
  package var author: WriteAuthor
  package var changes: [PlannedChange]
  /// The merge policy for conflicts; a write that becomes a batch request does not use it.
  ///
  /// Such a write has the context `batch` and is uniform (``isUniform``).
  package var policy: PlannedPolicy
  /// Whether the clock advances before the write; `false` only in plans with the condition `ties`.
  package var ticks: Bool
  /// The number of a transaction in a store file, if the write repeats that transaction's changes.
  ///
  /// `nil` if the write does not come from a file's history.
  package var fileTransaction: Int64?

  package init(
    actor: ActorID,
    context: String = "view",
    author: WriteAuthor = .own,
    changes: [PlannedChange],
    policy: PlannedPolicy = .objectWins,
    ticks: Bool = true,
    fileTransaction: Int64? = nil
  ) {
    self.actor = actor
    self.context = context
    self.author = author
    self.changes = changes
    self.policy = policy
    self.ticks = ticks
    self.fileTransaction = fileTransaction
  }

  /// The context name of a write with plain SQL, which simulates a program without this library.
  ///
  /// After the write, the actor's process reads the store before any other process does. The name
  /// has this meaning only if the header's `foreignWrites` is `captured`; otherwise it names a
  /// context like any other.
  package static let plainSQL = "sql"

  /// The context name of a write with batch requests.
  ///
  /// The write becomes one batch request if all its changes are alike (``isUniform``).
  package static let batch = "batch"

  /// Whether one batch request can make all changes of the write.
  package var isUniform: Bool { changes.isUniform }

  /// Returns whether the write uses plain SQL, as a program without this library does.
  package func isPlainSQL(_ header: PlanHeader) -> Bool {
    context == Self.plainSQL && header.foreignWrites == .captured
  }
}

extension [PlannedChange] {
  /// Whether all changes have one type and entity, and all updates set the same attributes.
  package var isUniform: Bool {
    guard let first else { return false }
    let names = Set(first.values.keys)
    guard first.type != .update || !names.isEmpty else { return false }
    return allSatisfy { change in
      change.type == first.type && change.object.entity == first.object.entity
        && (change.type != .update || Set(change.values.keys) == names)
    }
  }
}

/// A batch request: an update or delete by predicate.
package struct PlannedBatch: Hashable, Sendable {
  package var actor: ActorID
  package var author: WriteAuthor
  /// The type of change: update or delete.
  ///
  /// A batch insert is a `PlannedWrite` in the context `batch`.
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

/// The words of commands: the possible values of the key `do` in plans and wire messages.
enum CommandWord: String, CaseIterable {
  case write
  case batch
  case begin
  case commit
  case launch
  case stop
  case crash
  case retire
  case suspend
  case resume
  case fetch
  case merge
  case record
  case pass
  case purge
  case resync
  case belated
  case query
  case watch
  case consume
  case read
  case deliver
  case poll
  case view
  case data
  case history
  case clock

  /// All keys that the command accepts.
  var keys: [String] { own + ["do", "faults"] }

  private var own: [String] {
    switch self {
    case .write, .begin:
      ["actor", "context", "author", "changes", "policy", "tick", "transaction"]
    case .batch: ["actor", "author", "op", "entity", "where", "values"]
    case .belated: ["actor", "step"]
    case .query:
      [
        "actor", "form", "behind", "ago", "filter", "any", "page", "changeLimit", "entity", "where",
        "sort",
        "changes",
      ]
    case .watch: ["actor", "entity", "where", "sort", "limit"]
    case .deliver, .poll: ["actor", "fate"]
    case .view: ["actor", "context"]
    case .consume: ["consumer"]
    case .read: ["consumer", "page", "entity", "author", "stops", "steps"]
    case .clock: ["advance"]
    case .data, .history: []
    case .commit, .launch, .stop, .crash, .retire, .suspend, .resume, .fetch, .merge, .record,
      .pass,
      .purge, .resync:
      ["actor"]
    }
  }
}

/// A comparison operator in the predicate of a batch request.
package enum PlannedComparison: String, Hashable, Sendable, CaseIterable {
  case equal = "="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
}

/// One condition of a batch request's predicate; a batch combines its conditions with AND.
///
/// A condition is either true or false. Where SQL yields unknown because of a null, the condition is
/// false and its negation is true.
package indirect enum PlannedCondition: Hashable, Sendable {
  /// A comparison of an attribute with a value.
  ///
  /// Null equals null, and is neither less nor greater than any value.
  case compare(String, PlannedComparison, Value)
  /// An attribute that equals one of the given values, which may include null.
  case among(String, [Value])
  /// An attribute between two values, inclusive.
  case between(String, Value, Value)
  /// An attribute's string that matches a pattern, ASCII letters case-insensitively.
  ///
  /// `%` matches any number of characters and `_` one; a backslash escapes the next character.
  case like(String, String)
  /// A list of conditions, all of which must be true.
  case all([PlannedCondition])
  /// A list of conditions, at least one of which must be true.
  case any([PlannedCondition])
  /// The negation of a condition.
  case not(PlannedCondition)

  /// The maximum nesting depth of conditions; a store refuses deeper ones.
  package static let depthMax = 15

  package init(_ attribute: String, _ comparison: PlannedComparison, _ value: Value) {
    self = .compare(attribute, comparison, value)
  }
}
