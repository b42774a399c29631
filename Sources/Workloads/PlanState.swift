import HistoryTypes
package import Traces

/// The state of a plan that is being generated, as far as the next command depends on it.
///
/// A set of actors is a word with one bit per actor, in the order of the header. Words are fast to
/// combine: before each command, the sets are read for every kind of command.
struct PlanState {
  private let everyone: UInt64
  private let consumers: UInt64
  private let passesBySignal: Bool
  private let hasRetention: Bool
  private let isReplacing: Bool
  private var running: UInt64
  private var staging: UInt64 = 0
  /// The running actors whose process is suspended.
  private var suspended: UInt64 = 0
  /// The actors with a signal that was sent and has not arrived yet.
  private var signalled: UInt64 = 0
  /// The actors whose previous process keeps running, although a later launch has replaced it.
  private var replaced: UInt64 = 0
  /// The actors that have fetched transactions and have not recorded their cursor since.
  private(set) var midPass: UInt64 = 0
  /// The actors that have fetched and merged transactions and have not recorded their cursor since.
  private(set) var unrecorded: UInt64 = 0
  /// The actors that are registered as members.
  private var members: UInt64
  /// The members that have not made a pass since the last write.
  private var behind: UInt64 = 0
  private var consumersBehind: UInt64 = 0
  private var hasHistory = false
  private var live: Set<ObjectName> = []
  /// The references between existing objects; empty if the model has no references.
  private var links: PlanLinks

  init(_ header: PlanHeader) {
    links = PlanLinks(header.model)
    everyone = Self.mask(of: header.actors.count)
    consumers = Self.mask(of: header.consumers.count)
    passesBySignal = header.drive == .signals
    hasRetention = header.retention != nil
    isReplacing = header.locks == .none
    running = header.actors.enumerated().reduce(0) { mask, item in
      item.element.launched ? mask | 1 << UInt64(item.offset) : mask
    }
    members = running
    live = Set(header.objects.keys)
    hasHistory = !live.isEmpty
  }

  /// Creates the state that the commands of a plan lead to.
  init(after plan: Plan) {
    self.init(plan.header)
    for command in plan.commands {
      switch command.action {
      case .write(let write), .begin(let write): for change in write.changes { note(change) }
      default: break
      }
      if let (action, place) = known(command.action, plan.header) { note(action, by: place) }
      if command.losesPower { loseEverything() }
    }
  }

  /// Returns the kind of an action and the index of its actor in the header.
  ///
  /// The result is `nil` if the action does not change this state, or its actor is not in the header.
  private func known(_ action: Action, _ header: PlanHeader) -> (PlanAction, Int)? {
    let kind: PlanAction
    switch action {
    case .write: kind = .write
    case .batch: kind = .batch
    case .begin: kind = .begin
    case .commit: kind = .commit
    case .launch: kind = .launch
    case .stop: kind = .stop
    case .crash: kind = .crash
    case .retire: kind = .retire
    case .suspend: kind = .suspend
    case .resume: kind = .resume
    case .fetch: kind = .fetch
    case .merge: kind = .merge
    case .record: kind = .record
    case .pass: kind = .pass
    case .resync: kind = .resync
    case .deliver: kind = .deliver
    case .consume: kind = .consume
    case .purge, .belated, .query, .watch, .read, .poll, .view, .data, .history, .clock: return nil
    }
    let members = kind == .consume ? header.consumers : header.actors.map(\.id)
    guard let place = members.firstIndex(where: { $0 == action.actor }) else { return nil }
    let isSecond = kind == .launch && running >> UInt64(place) & 1 == 1
    return (isSecond ? .launchTwice : kind, place)
  }

  /// Whether all members and consumers have read the last write: a purge may delete nearly all history.
  var isCaughtUp: Bool { hasHistory && behind == 0 && consumersBehind == 0 }

  private static func mask(of count: Int) -> UInt64 { (1 << UInt64(count)) - 1 }

  /// Whether all actors are stopped.
  var isDown: Bool { running == 0 }

  /// Returns the set of actors that may perform an action; for `consume`, the set of consumers.
  func eligible(for action: PlanAction) -> UInt64 {
    let awake = running & ~suspended
    return switch action {
    case .launch: everyone & ~running
    case .crash: running
    case .resume: suspended
    case .begin: awake & ~staging
    case .commit: staging & ~suspended
    case .clock: everyone
    case .consume: consumers
    case .deliver: awake & signalled
    case .poll: passesBySignal ? awake : 0
    case .belated: replaced & ~suspended
    case .resync: hasRetention ? awake : 0
    case .pass, .fetch, .merge, .record: passesBySignal ? 0 : awake
    default: awake
    }
  }

  /// Searches the keys from `key` on for an existing object, or for a free name if `isLive` is `false`.
  ///
  /// After the greatest key the search continues at key 1. The result is `nil` if there is no such
  /// object or name.
  func object(
    _ entity: String,
    from key: Int64,
    through most: Int64,
    isLive: Bool
  ) -> ObjectName? {
    for step in 0..<most {
      let object = ObjectName(entity, (key - 1 + step) % most + 1)
      if live.contains(object) == isLive { return object }
    }
    return nil
  }

  /// Whether a store would refuse the recorded changes of the write that is being generated.
  ///
  /// The reason is a delete that a delete rule forbids, or a reference to a missing object.
  var isRefused: Bool { links.isRefused(live) }

  mutating func note(_ action: PlanAction, by place: Int) {
    let bit: UInt64 = 1 << UInt64(place)
    switch action {
    case .write, .batch, .relatedBatch: noteCommit()
    case .launch:
      running |= bit
      members |= bit
    case .launchTwice:
      guard isReplacing else { return }
      leave(bit)
      running |= bit
      replaced |= bit
    case .stop, .crash: leave(bit)
    case .retire:
      leave(bit)
      members &= ~bit
      behind &= ~bit
    case .suspend: suspended |= bit
    case .resume: suspended &= ~bit
    case .begin: staging |= bit
    case .commit:
      staging &= ~bit
      noteCommit()
    case .deliver:
      signalled &= ~bit
      behind &= ~bit
    case .fetch: midPass |= bit
    case .merge:
      unrecorded |= midPass & bit
      midPass |= bit
    case .record, .pass, .resync:
      midPass &= ~bit
      unrecorded &= ~bit
      behind &= ~bit
    case .consume: consumersBehind &= ~bit
    default: break
    }
  }

  private mutating func noteCommit() {
    if passesBySignal { signalled |= running }
    hasHistory = true
    behind = members
    consumersBehind = consumers
  }

  /// Updates the state after a power-off, which ends all processes.
  mutating func loseEverything() {
    leave(everyone)
    replaced = 0
  }

  private mutating func leave(_ bit: UInt64) {
    running &= ~bit
    suspended &= ~bit
    staging &= ~bit
    signalled &= ~bit
    midPass &= ~bit
    unrecorded &= ~bit
  }

  mutating func note(_ change: PlannedChange) {
    guard links.isEmpty else { return links.note(change, &live) }
    if change.type == .delete { live.remove(change.object) } else { live.insert(change.object) }
  }
}

/// The state after the first commands of an explored plan, as far as the next commands depend on it.
package struct ExploredPlanState: Sendable {
  /// The last completed step of an actor's unfinished pass; a pass fetches, merges and records.
  enum Step: Int {
    case none
    case fetched
    case merged
  }
  private(set) var running: Set<ActorID>
  private(set) var staged: Set<ActorID> = []
  /// The actors whose process is suspended; ``running`` does not contain them.
  private(set) var suspended: Set<ActorID> = []
  /// The actors with a signal that was sent and has not arrived yet.
  private(set) var signalled: Set<ActorID> = []
  private var steps: [ActorID: Step] = [:]
  /// The keys of the existing objects, in the order in which they were first inserted.
  private var live: [Int64] = []
  private var insertCount: Int64 = 0
  private var writeCount: Int64 = 0
  /// The commands that the plan takes from a real history; `nil` if it takes none.
  private let window: [Command]?
  /// The number of the commands from a real history (``window``) that were already performed.
  private var windowCount = 0

  /// Whether every commit is synced, so that no power-off rolls back an acknowledged commit.
  let isSynced: Bool
  /// The consumers: readers of history that are not actors and have no contexts.
  let consumers: [ActorID]

  init(_ header: PlanHeader, window: [Command]? = nil) {
    self.window = window
    // Objects that the condition's own writes insert must not have the keys of the window's
    // objects.
    insertCount = window == nil ? 0 : Self.ownKeysStart
    isSynced = header.synchronous == .full
    consumers = header.consumers
    running = Set(header.actors.filter(\.launched).map(\.id))
  }

  /// Returns the last step (fetch or merge) that an actor's unfinished pass has completed.
  func step(of actor: ActorID) -> Step { steps[actor] ?? .none }

  // MARK: Changes

  private static let entity = "Item"
  private static let ownKeysStart: Int64 = 1_000_000

  /// The next command that the plan takes from a real history; `nil` if there is none left.
  var next: Command? {
    guard let window, windowCount < window.count else { return nil }
    return window[windowCount]
  }

  /// A change that inserts a new object.
  var insert: PlannedChange {
    let object = ObjectName(Self.entity, insertCount + 1)
    return PlannedChange(.insert, object, ["title": .string("a"), "count": .int(writeCount + 1)])
  }

  /// A change that sets the newest object to a new value; `nil` if no object exists.
  var update: PlannedChange? {
    live.last.map {
      PlannedChange(.update, ObjectName(Self.entity, $0), ["count": .int(writeCount + 1)])
    }
  }

  /// A change that deletes the newest object; `nil` if no object exists.
  var delete: PlannedChange? {
    live.last.map { PlannedChange(.delete, ObjectName(Self.entity, $0)) }
  }

  /// An insert of an object that refers to the newest object of `Item`; `nil` if there is none.
  func related(_ entity: String, _ values: Values) -> PlannedChange? {
    live.last.map { item in
      let object = ObjectName(entity, insertCount + 1)
      return PlannedChange(.insert, object, values.merging(["item": .int(item)]) { $1 })
    }
  }

  // MARK: Events

  /// Updates this state after a command and the events that it caused.
  package mutating func note(_ action: Action, _ events: [Event]) {
    if let next, next.action == action { windowCount += 1 }
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
    switch (event.kind, event.actor) {
    case (.committed(let transaction), _): for change in transaction.changes { note(change) }
    case (.registered, let actor?), (.launched, let actor?):
      running.insert(actor)
      leave(actor)
    case (.stopped, let actor?), (.crashed, let actor?), (.retired, let actor?):
      running.remove(actor)
      leave(actor)
    case (.suspended, let actor?):
      running.remove(actor)
      suspended.insert(actor)
    case (.resumed, let actor?):
      suspended.remove(actor)
      running.insert(actor)
    case (.signalled, let actor?): signalled.insert(actor)
    // An event with data outside of commands occurs only after a power-off.
    case (.data(let objects), nil) where window == nil:
      live = objects.keys.filter { $0.entity == Self.entity }.map(\.key).sorted()
    case (.called(nil, "deliver"), let actor?): signalled.remove(actor)
    default: break
    }
  }

  private mutating func note(_ change: CommittedChange) {
    guard window == nil, change.object.entity == Self.entity else { return }
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
    suspended.remove(actor)
    signalled.remove(actor)
    steps[actor] = nil
  }

  /// Adds to `state` the data on which the possible next commands depend.
  ///
  /// The counters that give new objects and values their numbers are not added.
  package func describe(_ state: inout StateSketch) {
    state.enter(nil)
    for key in live { state.add(ObjectName(Self.entity, key)) }
    if window != nil { state.add(windowCount) }
    for actor in running.union(suspended) {
      state.enter(actor)
      if suspended.contains(actor) { state.add(-1) }
      state.add(step(of: actor).rawValue)
      state.add(staged.contains(actor))
      state.add(signalled.contains(actor))
    }
    state.enter(nil)
  }
}
