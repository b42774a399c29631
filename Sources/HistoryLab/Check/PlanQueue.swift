import Reporting
import Synchronization

/// Hands out the numbers of plans, each once, until enough plans or steps are done.
///
/// The plans that count do not depend on the number of workers: they end with the first plan by
/// which all plans up to it have made enough steps. Later plans that other workers ran meanwhile
/// are not counted.
final class PlanQueue: Sendable {
  private struct State {
    var taken = 0
    /// The steps of finished plans that follow an unfinished one.
    var waiting: [Int: Int] = [:]
    /// The highest number up to which all plans are finished.
    var doneThrough = 0
    var stepCount = 0
    /// The position in this shard of the last plan that counts.
    var last: Int
  }
  private let steps: Int?
  private let shard: Shard?
  private let state: Mutex<State>

  /// Creates a queue of plans from number 1 on, which ends early once enough steps are made.
  ///
  /// With a shard, it hands out every n-th plan and ends at its share of the steps.
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

  /// The number of the last plan that counts.
  var last: Int { number(of: state.withLock { $0.last }) }

  /// Returns the number of the plan at a position in this shard, from 1; 0 for none.
  private func number(of place: Int) -> Int {
    guard let shard, place > 0 else { return place }
    return (place - 1) * shard.count + shard.index
  }

  /// Returns the position in this shard of the plan with a number.
  private func place(of number: Int) -> Int {
    shard.map { (number - $0.index) / $0.count + 1 } ?? number
  }

  /// Returns the number of the next plan, or `nil` when enough were handed out.
  func take() -> Int? {
    state.withLock { state in
      guard state.taken < state.last else { return nil }
      state.taken += 1
      return number(of: state.taken)
    }
  }

  /// Records that a plan is finished, with its number of steps.
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
