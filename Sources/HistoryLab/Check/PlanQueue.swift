import Reporting
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
  private let shard: Shard?
  private let state: Mutex<State>

  /// Makes a queue of plans 1 to a count, which ends earlier once so many steps are made.
  ///
  /// A part of a run takes every so many-th plan, and its share of the steps.
  init(plans: Int, steps: Int?, shard: Shard? = nil) {
    self.shard = shard
    guard let shard else {
      self.steps = steps
      state = Mutex(State(last: plans))
      return
    }
    self.steps = steps.map { ($0 - 1) / shard.count + 1 }
    state = Mutex(State(last: plans < shard.index ? 0 : (plans - shard.index) / shard.count + 1))
  }

  /// The last plan that counts.
  var last: Int { number(of: state.withLock { $0.last }) }

  /// The number of the plan at a place of this part, from 1; 0 for none.
  private func number(of place: Int) -> Int {
    guard let shard, place > 0 else { return place }
    return (place - 1) * shard.count + shard.index
  }

  /// The place in this part of the plan with a number.
  private func place(of number: Int) -> Int {
    shard.map { (number - $0.index) / $0.count + 1 } ?? number
  }

  /// The number of the next plan, or nothing when there are enough.
  func take() -> Int? {
    state.withLock { state in
      guard state.taken < state.last else { return nil }
      state.taken += 1
      return number(of: state.taken)
    }
  }

  /// Notes that a plan is done, with the steps that it took.
  func finish(_ plan: Int, steps count: Int) {
    guard let steps else { return }
    let plan = place(of: plan)
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
