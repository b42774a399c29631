import HistoryTypes
import Systems
import Traces

/// The state of each actor in a run.
///
/// The simulator uses this state to skip commands that are not possible.
struct ActorLife {
  private enum State {
    case running
    case ended
  }
  private var states: [ActorID: State] = [:]
  private var staged: Set<ActorID> = []
  /// The running actors whose process is suspended.
  private(set) var suspended: Set<ActorID> = []
  /// The actors whose previous process keeps running, although a later launch has replaced it.
  private var replaced: Set<ActorID> = []
  /// The running actors whose process may have been replaced by a later launch that failed.
  private var overtaken: Set<ActorID> = []
  private let header: PlanHeader
  private let capabilities: Set<Capability>

  init(_ header: PlanHeader, _ capabilities: Set<Capability>) {
    self.header = header
    self.capabilities = capabilities
  }

  /// The running actors of the plan, sorted by name; consumers and suspended actors are not included.
  var running: [ActorID] {
    states.filter {
      $0.value == .running && header.actor($0.key) != nil && !suspended.contains($0.key)
    }.keys.sorted()
  }

  /// The running consumers, in the plan's order.
  var consuming: [ActorID] { header.consumers.filter { states[$0] == .running } }

  /// Adds to `state`, for each actor, whether it runs, is suspended, or has an uncommitted write.
  ///
  /// Also adds whether a later launch has replaced the actor's process, or may have replaced it.
  func describe(_ state: inout StateSketch) {
    for (actor, life) in states.sorted(by: { $0.key < $1.key }) {
      state.enter(actor)
      state.add(life == .running)
      state.add(staged.contains(actor))
      if suspended.contains(actor) { state.add(2) }
      if replaced.contains(actor) { state.add(true) }
      if overtaken.contains(actor) { state.add(false) }
    }
    state.enter(nil)
  }

  /// Returns the reason why an action is not possible in the current state; `nil` if it is possible.
  func objection(to action: Action) -> String? {
    guard let actor = action.actor else { return nil }
    let isConsumer = header.consumers.contains(actor)
    guard isConsumer || header.actor(actor) != nil else { return "the plan has no actor \(actor)" }
    let isRunning = states[actor] == .running
    switch action {
    case .resume: return suspended.contains(actor) ? nil : "\(actor) is not suspended"
    case .crash where isRunning: return nil
    case _ where suspended.contains(actor): return "\(actor) is suspended"
    // The system under test must refuse a second process of a running actor, so the simulator
    // allows it.
    case .launch: return isRunning && !mayLaunchTwice(actor) ? "\(actor) is running" : nil
    case .commit: return staged.contains(actor) ? nil : "\(actor) has no open write"
    case .begin:
      return !isRunning || staged.contains(actor)
        ? "\(actor) is not running, or already has an open write" : nil
    case .belated: return replaced.contains(actor) ? nil : "no process of \(actor) was replaced"
    case .consume, .read:
      return isConsumer && isRunning ? nil : "\(actor) is not a running consumer"
    case .resync: return isRunning ? nil : "\(actor) is not running"
    case .watch where !capabilities.contains(.queries): return "this system has no live queries"
    default: return isRunning && !isConsumer ? nil : "\(actor) is not running"
    }
  }

  private var canBeLate: Bool { capabilities.contains(.belated) }

  private func mayLaunchTwice(_ actor: ActorID) -> Bool {
    capabilities.contains(.twice) && header.actor(actor) != nil
  }

  /// All running actors and consumers, including suspended ones, sorted by name.
  var alive: [ActorID] { states.filter { $0.value == .running }.keys.sorted() }

  /// Marks every running actor as ended, because a power-off has ended all processes.
  mutating func noteEnd() {
    for actor in alive { states[actor] = .ended }
    staged.removeAll()
    suspended.removeAll()
    replaced.removeAll()
    overtaken.removeAll()
  }

  /// Updates the state after a failed command.
  ///
  /// After a failed commit no write is staged, whether or not the write took effect. After a failed
  /// launch the actor's running process may have been replaced.
  mutating func noteFailure(of action: Action) {
    switch action {
    case .commit(let actor): staged.remove(actor)
    case .launch(let actor) where states[actor] == .running: overtaken.insert(actor)
    default: break
    }
  }

  /// Returns whether a failed launch may have replaced the actor's running process.
  func isOvertaken(_ actor: ActorID) -> Bool { overtaken.contains(actor) }

  /// Updates the state after a successful command.
  mutating func note(_ action: Action) {
    switch action {
    case .launch(let actor):
      // The new process has no write in progress.
      if states.updateValue(.running, forKey: actor) == .running, canBeLate {
        replaced.insert(actor)
      }
      overtaken.remove(actor)
      staged.remove(actor)
    case .stop(let actor), .crash(let actor), .retire(let actor):
      states[actor] = .ended
      suspended.remove(actor)
      overtaken.remove(actor)
      staged.remove(actor)
    case .suspend(let actor): suspended.insert(actor)
    case .resume(let actor): suspended.remove(actor)
    case .begin(let write): staged.insert(write.actor)
    case .commit(let actor): staged.remove(actor)
    default: break
    }
  }
}
