import PersistentHistory
package import Traces

/// The part of a plan's state that its possible next commands depend on.
package struct PlanPlace: Sendable {
  /// The last step of an actor's unfinished pass.
  enum Step: Int {
    case none
    case fetched
    case merged
  }
  private(set) var running: Set<ActorID>
  private(set) var staged: Set<ActorID> = []
  /// The actors with a signal on its way.
  private(set) var signalled: Set<ActorID> = []
  private var steps: [ActorID: Step] = [:]
  /// The keys of the existing objects, in the order in which they were first inserted.
  private var live: [Int64] = []
  private var insertCount: Int64 = 0
  private var writeCount: Int64 = 0

  /// Whether no power-off rolls back an acknowledged commit.
  let isSynced: Bool
  /// The consumers that read history in addition to the actors.
  let consumers: [ActorID]

  init(_ header: PlanHeader) {
    isSynced = header.synchronous == .full
    consumers = header.consumers
    running = Set(header.actors.filter(\.launched).map(\.id))
  }

  /// Returns the last step of an actor's unfinished pass.
  func step(of actor: ActorID) -> Step { steps[actor] ?? .none }

  // MARK: Changes

  private static let entity = "Item"

  /// An insert of a new object.
  var insert: PlannedChange {
    let object = ObjectName(Self.entity, insertCount + 1)
    return PlannedChange(.insert, object, ["title": .string("a"), "count": .int(writeCount + 1)])
  }

  /// An update of the newest object to a value that was not used before.
  var update: PlannedChange? {
    live.last.map {
      PlannedChange(.update, ObjectName(Self.entity, $0), ["count": .int(writeCount + 1)])
    }
  }

  /// A delete of the newest object.
  var delete: PlannedChange? {
    live.last.map { PlannedChange(.delete, ObjectName(Self.entity, $0)) }
  }

  // MARK: Events

  /// Applies a command and its events.
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
    // Outside of commands, the data are read only after a power-off.
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

  /// Adds the state that the next moves depend on, without counters that only make names unique.
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
