import PersistentHistory
import Systems
import Traces

/// What a power-off would leave of a state, as long as nothing more is synced.
struct Survivors {
  /// What the store would hold.
  let state: StateSketch
  /// What would be told of it, but for who is down.
  private let told: [Happening]

  fileprivate init(state: StateSketch, told: [Happening]) {
    self.state = state
    self.told = told
  }

  /// What a judge would hear, with those who would be down.
  func events(down: [ActorID]) -> [Event] {
    let crashes = down.map { Event(at: 0, tick: 0, actor: $0, .crashed) }
    func plain(_ happening: Happening) -> Event {
      Event(at: 0, tick: 0, actor: nil, happening)
    }
    // A number that no command of the plan has: what it is does not count.
    return [plain(.called(command: .max, word: "clock"))] + told.prefix(1).map(plain) + crashes
      + told.dropFirst().map(plain) + [plain(.ended(command: .max, .ok))]
  }
}

extension Simulator {
  /// Takes the power away, looks what is left, and goes back to where the run stood.
  ///
  /// - Throws: ``SystemFailure`` when the system cannot be looked at or put back.
  func survivors(_ header: PlanHeader) throws(SystemFailure) -> Survivors {
    let standing = try standing(withSystem: true)
    let told = loseEverything(.powerOff).filter { $0.actor == nil }.map(\.happening)
    var state = StateSketch(header)
    // When that was does not count.
    place.clock.now = PlanClock.start
    if !isBeyondRepair { try system.describe(&state) }
    try goBack(to: standing, header, performing: [])
    return Survivors(state: state, told: told)
  }
}
