import Synchronization

/// Hands out the numbers of plans, each once, until there are enough plans or enough steps.
///
/// What counts does not depend on the number of lanes: the plans up to the first one with which those
/// before it have made enough steps. What other lanes ran meanwhile beyond it is left out.
final class PlanQueue: Sendable {
  private struct State {
    var taken = 0
    /// The steps of plans that are done before one that is not.
    var waiting: [Int: Int] = [:]
    /// Every plan through this one is done.
    var doneThrough = 0
    var stepCount = 0
    /// The last plan that counts.
    var last: Int
  }
  private let steps: Int?
  private let state: Mutex<State>

  /// Makes a queue of plans 1 to a count, which ends earlier once so many steps are made.
  init(plans: Int, steps: Int?) {
    self.steps = steps
    state = Mutex(State(last: plans))
  }

  /// The last plan that counts.
  var last: Int { state.withLock { $0.last } }

  /// The number of the next plan, or nothing when there are enough.
  func take() -> Int? {
    state.withLock { state in
      guard state.taken < state.last else { return nil }
      state.taken += 1
      return state.taken
    }
  }

  /// Notes that a plan is done, with the steps that it took.
  func finish(_ plan: Int, steps count: Int) {
    guard let steps else { return }
    state.withLock { state in
      state.waiting[plan] = count
      while let next = state.waiting.removeValue(forKey: state.doneThrough + 1),
        state.stepCount < steps
      {
        state.doneThrough += 1
        state.stepCount += next
      }
      if state.stepCount >= steps { state.last = min(state.last, state.doneThrough) }
    }
  }
}
