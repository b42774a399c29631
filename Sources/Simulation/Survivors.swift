import PersistentHistory
import Systems
import Traces

/// The data that would survive a power-off in a state, until more is synced.
struct Survivors {
  /// The state of the store after the power-off.
  let state: StateSketch
  /// The events after the power-off, without the crashes of running actors.
  private let told: [Happening]

  fileprivate init(state: StateSketch, told: [Happening]) {
    self.state = state
    self.told = told
  }

  /// Returns the events that a judge would observe, with the crashes of the given actors.
  func events(down: [ActorID]) -> [Event] {
    let crashes = down.map { Event(at: 0, tick: 0, actor: $0, .crashed) }
    func plain(_ happening: Happening) -> Event {
      Event(at: 0, tick: 0, actor: nil, happening)
    }
    // The command number belongs to no command of the plan, and the word is arbitrary.
    return [plain(.called(command: .max, word: "clock"))] + told.prefix(1).map(plain) + crashes
      + told.dropFirst().map(plain) + [plain(.ended(command: .max, .ok))]
  }
}

extension Simulator {
  /// Simulates a power-off, inspects the surviving data, and restores the run.
  ///
  /// - Throws: ``SystemFailure`` when the system cannot be inspected or restored.
  func survivors(_ header: PlanHeader) throws(SystemFailure) -> Survivors {
    let standing = try standing(withSystem: true)
    let told = loseEverything(.powerOff).filter { $0.actor == nil }.map(\.happening)
    var state = StateSketch(header)
    // The time of the power-off is not part of the state.
    place.clock.now = PlanClock.start
    if !isBeyondRepair { try system.describe(&state) }
    try goBack(to: standing, header, performing: [])
    return Survivors(state: state, told: told)
  }
}
