import Checkers
import HistoryTypes
import Traces

/// Builds a plan and its trace together, one event a line, so that a test reads as a story.
///
/// It accepts wrong events too. Its own data follows the writes, so that the closing views are
/// correct unless a test changes them.
struct Story {
  static let item = Entity(
    "Item",
    [
      Attribute("title", .string, preservesValueInHistoryOnDeletion: true),
      Attribute("count", .int),
    ]
  )
  static let note = Entity("Note", [Attribute("text", .string)])

  var header: PlanHeader
  private(set) var commands: [Command] = []
  private(set) var events: [Event] = []
  private(set) var objects: Objects = [:]
  private var running: [ActorID] = []
  private var head: TransactionName?

  init(_ actors: ActorID..., launched: Bool = true) throws {
    header = PlanHeader(
      model: try Model([Self.item, Self.note]),
      actors: actors.map { PlannedActor($0, author: $0.name) }
    )
    if launched {
      for actor in actors { register(actor) }
    }
  }

  var trace: Trace {
    Trace(
      header: TraceHeader(plan: Plan(header: header, commands: commands), system: "story"),
      events: events
    )
  }

  /// The verdict of one checker on the story.
  func verdict<Checked: Invariant>(_ invariant: Checked.Type) -> Verdict {
    var checker = InvariantChecker<Checked>(trace.header)
    for event in events { checker.observe(event) }
    return checker.verdict
  }

  mutating func tell(_ actor: ActorID?, _ kind: EventKind) {
    events.append(Event(at: events.count, tick: commands.count, actor: actor, kind))
  }

  /// Runs a command of the plan, with the given events.
  mutating func run(
    _ action: Action,
    _ outcome: Outcome = .ok,
    _ body: (inout Story) -> Void = { _ in }
  ) {
    let index = commands.count
    commands.append(Command(action))
    tell(action.actor, .called(command: index, word: action.word))
    body(&self)
    tell(action.actor, .ended(command: index, outcome))
  }

  // MARK: Membership

  mutating func register(_ actor: ActorID) {
    running.append(actor)
    tell(actor, .registered(cursor: head))
  }

  mutating func relaunch(_ actor: ActorID, at cursor: TransactionName?) {
    running.append(actor)
    tell(actor, .launched(cursor: cursor))
  }

  mutating func stop(_ actor: ActorID) { leave(actor, .stopped) }
  mutating func crash(_ actor: ActorID) { leave(actor, .crashed) }
  mutating func retire(_ actor: ActorID) { leave(actor, .retired) }

  private mutating func leave(_ actor: ActorID, _ kind: EventKind) {
    running.removeAll { $0 == actor }
    tell(actor, kind)
  }

  // MARK: Writes

  /// Saves changes as one transaction; `reported` are the changes in the system's report.
  mutating func write(
    _ actor: ActorID,
    _ name: TransactionName,
    _ changes: PlannedChange...,
    context: String = "view",
    author: String? = nil,
    reported: [CommittedChange]? = nil,
    at timestamp: Double = 0
  ) {
    let write = PlannedWrite(actor: actor, context: context, changes: changes)
    run(.write(write)) { story in
      story.commit(
        actor,
        name,
        reported ?? changes.map { CommittedChange($0.type, $0.object) },
        context,
        author,
        timestamp
      )
      story.follow(changes)
    }
  }

  /// Inserts a new object; it does not matter which.
  mutating func write(
    _ actor: ActorID,
    _ name: TransactionName,
    context: String = "view",
    author: String? = nil,
    at timestamp: Double = 0
  ) {
    write(
      actor,
      name,
      .insert("Item", Int64(events.count)),
      context: context,
      author: author,
      at: timestamp
    )
  }

  /// Inserts an object from before the plan, which is not a command of the plan.
  mutating func open(_ actor: ActorID, _ name: TransactionName, _ object: ObjectName) {
    header.objects[object] = [:]
    objects[object] = [:]
    tell(actor, .called(command: nil, word: "write"))
    commit(actor, name, [CommittedChange(.insert, object)])
    tell(actor, .ended(command: nil, .ok))
  }

  mutating func commit(
    _ actor: ActorID,
    _ name: TransactionName,
    _ changes: [CommittedChange],
    _ context: String = "view",
    _ author: String? = nil,
    _ timestamp: Double = 0
  ) {
    head = name
    tell(
      actor,
      .committed(
        CommittedTransaction(
          name: name,
          author: author ?? actor.name,
          context: context,
          writer: nil,
          timestamp: timestamp,
          changes: changes
        )
      )
    )
  }

  mutating func follow(_ changes: [PlannedChange]) {
    for change in changes {
      switch change.type {
      case .insert: objects[change.object] = change.values
      case .update: objects[change.object]?.merge(change.values) { $1 }
      case .delete: objects[change.object] = nil
      }
    }
  }

  /// A transaction as a store reports it.
  static func transaction(
    _ name: TransactionName,
    by actor: ActorID,
    _ changes: [CommittedChange]
  ) -> CommittedTransaction {
    CommittedTransaction(
      name: name,
      author: actor.name,
      context: "view",
      writer: nil,
      timestamp: 0,
      changes: changes
    )
  }

  /// Every committed transaction, as it was reported.
  var transactions: [CommittedTransaction] {
    events.compactMap { event in
      if case .committed(let transaction) = event.kind { transaction } else { nil }
    }
  }

  // MARK: Passes

  mutating func merge(_ actor: ActorID, _ names: TransactionName...) {
    run(.merge(actor)) { $0.tell(actor, .merged(names)) }
  }

  mutating func record(_ actor: ActorID, _ cursor: TransactionName?) {
    run(.record(actor)) { $0.tell(actor, .recorded(cursor: cursor)) }
  }

  /// Merges and records.
  mutating func pass(_ actor: ActorID, _ names: TransactionName...) {
    run(.pass(actor)) { story in
      story.tell(actor, .fetched(names))
      story.tell(actor, .merged(names))
      story.tell(actor, .recorded(cursor: names.last))
    }
  }

  mutating func purge(_ actor: ActorID, _ names: TransactionName...) {
    run(.purge(actor)) { $0.tell(actor, .purged(names)) }
  }

  /// The reads at the end: every running actor's view, then the data.
  mutating func close(views: [ActorID: Objects] = [:], data: Objects? = nil) {
    for actor in running {
      tell(actor, .viewed(context: "view", views[actor] ?? data ?? objects))
    }
    tell(nil, .data(data ?? objects))
  }
}

extension PlannedChange {
  static func insert(_ entity: String, _ key: Int64, _ values: Values = [:]) -> PlannedChange {
    PlannedChange(.insert, ObjectName(entity, key), values)
  }
  static func update(_ entity: String, _ key: Int64, _ values: Values) -> PlannedChange {
    PlannedChange(.update, ObjectName(entity, key), values)
  }
  static func delete(_ entity: String, _ key: Int64) -> PlannedChange {
    PlannedChange(.delete, ObjectName(entity, key))
  }
}

extension CommittedChange {
  static func insert(_ key: Int64) -> CommittedChange {
    CommittedChange(.insert, ObjectName("Item", key))
  }
  static func update(_ key: Int64) -> CommittedChange {
    CommittedChange(.update, ObjectName("Item", key))
  }
  static func delete(_ key: Int64) -> CommittedChange {
    CommittedChange(.delete, ObjectName("Item", key))
  }
}

extension Verdict {
  var violation: Violation? {
    if case .invalid(let violation) = self { violation } else { nil }
  }
  var isUnknown: Bool {
    if case .unknown = self { true } else { false }
  }
}
