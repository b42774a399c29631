import PersistentHistory
package import Traces

/// Where a plan stands, as far as what may be done next depends on it.
package struct PlanPlace: Sendable {
  /// How far an actor is in a pass.
  enum Step: Int {
    case none
    case fetched
    case merged
  }
  private(set) var running: Set<ActorID>
  private(set) var staged: Set<ActorID> = []
  /// Those that a signal is on its way to.
  private(set) var signalled: Set<ActorID> = []
  private var steps: [ActorID: Step] = [:]
  /// The keys of the objects that are there, in the order in which they were inserted first.
  private var live: [Int64] = []
  private var insertCount: Int64 = 0
  private var writeCount: Int64 = 0

  /// Whether no power-off takes back what was acknowledged.
  let isSynced: Bool
  /// Those that read history beside the actors.
  let consumers: [ActorID]

  init(_ header: PlanHeader) {
    isSynced = header.synchronous == .full
    consumers = header.consumers
    running = Set(header.actors.filter(\.launched).map(\.id))
  }

  /// How far an actor is in a pass.
  func step(of actor: ActorID) -> Step { steps[actor] ?? .none }

  // MARK: Changes

  private static let entity = "Item"

  /// An insert of a new object.
  var insert: PlannedChange {
    let object = ObjectName(Self.entity, insertCount + 1)
    return PlannedChange(.insert, object, ["title": .string("a"), "count": .int(writeCount + 1)])
  }

  /// An update of the newest object, to a value that nothing had before.
  var update: PlannedChange? {
    live.last.map {
      PlannedChange(.update, ObjectName(Self.entity, $0), ["count": .int(writeCount + 1)])
    }
  }

  /// A delete of the newest object.
  var delete: PlannedChange? {
    live.last.map { PlannedChange(.delete, ObjectName(Self.entity, $0)) }
  }

  // MARK: What happened

  /// Takes in a command and what happened.
  package mutating func note(_ action: Action, _ events: [Event]) {
    switch action {
    case .write(let write): count(write)
    case .begin(let write):
      count(write)
      staged.insert(write.actor)
    case .commit(let actor): staged.remove(actor)
    case .fetch(let actor): steps[actor] = .fetched
    case .merge(let actor): steps[actor] = .merged
    case .record(let actor), .pass(let actor), .resync(let actor): steps[actor] = nil
    case .deliver(let actor, let fate): if fate != .late { signalled.remove(actor) }
    default: break
    }
    for event in events { note(event) }
    guard case .deliver(let actor, .doubled) = action else { return }
    signalled.insert(actor)
  }

  private mutating func count(_ write: PlannedWrite) {
    writeCount += 1
    if write.changes.contains(where: { $0.type == .insert }) { insertCount += 1 }
  }

  private mutating func note(_ event: Event) {
    switch (event.happening, event.actor) {
    case (.committed(let transaction), _): for change in transaction.changes { note(change) }
    case (.registered, let actor?), (.launched, let actor?):
      running.insert(actor)
      leave(actor)
    case (.stopped, let actor?), (.crashed, let actor?), (.retired, let actor?):
      running.remove(actor)
      leave(actor)
    case (.signalled, let actor?): signalled.insert(actor)
    // Nobody looks at the data between commands but who opens the store after a power-off.
    case (.data(let objects), nil): live = objects.keys.map(\.key).sorted()
    case (.called(nil, "deliver"), let actor?): signalled.remove(actor)
    default: break
    }
  }

  private mutating func note(_ change: CommittedChange) {
    switch change.type {
    case .insert:
      live.append(change.object.key)
      live.sort()
    case .delete: live.removeAll { $0 == change.object.key }
    case .update: break
    }
  }

  private mutating func leave(_ actor: ActorID) {
    staged.remove(actor)
    signalled.remove(actor)
    steps[actor] = nil
  }

  /// Adds what the next moves depend on; numbers that only have to be new are left out.
  package func describe(_ state: inout StateSketch) {
    state.enter(nil)
    for key in live { state.add(ObjectName(Self.entity, key)) }
    for actor in running {
      state.enter(actor)
      state.add(step(of: actor).rawValue)
      state.add(staged.contains(actor))
      state.add(signalled.contains(actor))
    }
    state.enter(nil)
  }
}
