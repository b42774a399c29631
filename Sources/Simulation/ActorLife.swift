import PersistentHistory
import Systems
import Traces

/// What each actor of a plan is doing, so that a command in the wrong state is skipped, never sent.
struct ActorLife {
  private enum State {
    case running
    case ended
  }
  private var states: [ActorID: State] = [:]
  private var staged: Set<ActorID> = []
  /// Those of whom a process lives that a later launch has replaced.
  private var replaced: Set<ActorID> = []
  /// Those whose place a later launch has taken that then failed.
  private var overtaken: Set<ActorID> = []
  private let header: PlanHeader
  private let capabilities: Set<Capability>

  init(_ header: PlanHeader, _ capabilities: Set<Capability>) {
    self.header = header
    self.capabilities = capabilities
  }

  /// The actors that run, in the order of their names.
  var running: [ActorID] {
    states.filter { $0.value == .running && header.actor($0.key) != nil }.keys.sorted()
  }

  /// The consumers that run, in the plan's order.
  var consuming: [ActorID] { header.consumers.filter { states[$0] == .running } }

  /// Adds who runs.
  func describe(_ state: inout StateSketch) {
    for (actor, life) in states.sorted(by: { $0.key < $1.key }) {
      state.enter(actor)
      state.add(life == .running)
      state.add(staged.contains(actor))
      if replaced.contains(actor) { state.add(true) }
      if overtaken.contains(actor) { state.add(false) }
    }
    state.enter(nil)
  }

  /// Why a command cannot run now, or nothing when it can.
  func objection(to action: Action) -> String? {
    guard let actor = action.actor else { return nil }
    let isConsumer = header.consumers.contains(actor)
    guard isConsumer || header.actor(actor) != nil else { return "the plan has no actor \(actor)" }
    let isRunning = states[actor] == .running
    switch action {
    // A second process of an actor that runs is for the system to refuse.
    case .launch: return isRunning && !mayLaunchTwice(actor) ? "\(actor) is running" : nil
    case .commit: return staged.contains(actor) ? nil : "\(actor) has begun no write"
    case .begin: return !isRunning || staged.contains(actor) ? "\(actor) cannot begin" : nil
    case .belated: return replaced.contains(actor) ? nil : "no process of \(actor) was replaced"
    case .consume: return isConsumer && isRunning ? nil : "\(actor) is no consumer that runs"
    case .resync: return isRunning ? nil : "\(actor) is not running"
    default: return isRunning && !isConsumer ? nil : "\(actor) is not running"
    }
  }

  private var canBeLate: Bool { capabilities.contains(.belated) }

  private func mayLaunchTwice(_ actor: ActorID) -> Bool {
    capabilities.contains(.twice) && header.actor(actor) != nil
  }

  /// Those that have something in memory, in the order of their names.
  var alive: [ActorID] { states.filter { $0.value == .running }.keys.sorted() }

  /// Takes note that everyone has lost what they had in memory.
  mutating func noteEnd() {
    for actor in alive { states[actor] = .ended }
    staged.removeAll()
    replaced.removeAll()
    overtaken.removeAll()
  }

  /// Takes note of a command that failed: what was begun is over, written or not, and a process that was
  /// to take over from another may have done so before it failed.
  mutating func noteFailure(of action: Action) {
    switch action {
    case .commit(let actor): staged.remove(actor)
    case .launch(let actor) where states[actor] == .running: overtaken.insert(actor)
    default: break
    }
  }

  /// Whether a process that runs may have lost its place to one that then failed to start.
  func isOvertaken(_ actor: ActorID) -> Bool { overtaken.contains(actor) }

  /// Takes note of a command that succeeded.
  mutating func note(_ action: Action) {
    switch action {
    case .launch(let actor):
      // A process that took over from another has begun nothing.
      if states.updateValue(.running, forKey: actor) == .running, canBeLate {
        replaced.insert(actor)
      }
      overtaken.remove(actor)
      staged.remove(actor)
    case .stop(let actor), .crash(let actor), .retire(let actor):
      states[actor] = .ended
      overtaken.remove(actor)
      staged.remove(actor)
    case .begin(let write): staged.insert(write.actor)
    case .commit(let actor): staged.remove(actor)
    default: break
    }
  }
}
