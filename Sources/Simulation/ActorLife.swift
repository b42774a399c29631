import PersistentHistory
import Traces

/// What each actor of a plan is doing, so that a command in the wrong state is skipped, never sent.
struct ActorLife {
  private enum State {
    case running
    case ended
  }
  private var states: [ActorID: State] = [:]
  private var staged: Set<ActorID> = []

  /// The actors that run, in the order of their names.
  var running: [ActorID] { states.filter { $0.value == .running }.keys.sorted() }

  /// Why a command cannot run now, or nothing when it can.
  func objection(to action: Action, in header: PlanHeader) -> String? {
    guard let actor = action.actor else { return nil }
    if case .consume = action { return nil }
    guard header.actor(actor) != nil else { return "the plan has no actor \(actor)" }
    let isRunning = states[actor] == .running
    switch action {
    case .launch: return isRunning ? "\(actor) is running" : nil
    case .commit: return staged.contains(actor) ? nil : "\(actor) has begun no write"
    case .begin: return !isRunning || staged.contains(actor) ? "\(actor) cannot begin" : nil
    default: return isRunning ? nil : "\(actor) is not running"
    }
  }

  /// Takes note of a command that failed: what was begun is over, written or not.
  mutating func noteFailure(of action: Action) {
    if case .commit(let actor) = action { staged.remove(actor) }
  }

  /// Takes note of a command that succeeded.
  mutating func note(_ action: Action) {
    switch action {
    case .launch(let actor): states[actor] = .running
    case .stop(let actor), .crash(let actor), .retire(let actor):
      states[actor] = .ended
      staged.remove(actor)
    case .begin(let write): staged.insert(write.actor)
    case .commit(let actor): staged.remove(actor)
    default: break
    }
  }
}
