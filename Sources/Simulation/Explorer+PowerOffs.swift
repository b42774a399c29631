import Faults
import Systems
import Traces

/// Power-offs: what they would leave is part of a state.
extension Explorer {
  /// Adds what a power-off would leave now, where that is not all that there is: the store, and what the
  /// judge would make of it.
  func describeLosses(_ root: Int, _ judge: Judge) throws(SystemFailure) {
    guard let power = simulator.place.powerStanding, !power.isWhole else { return }
    if roots[root].survivors[power.durable] == nil {
      let survivors = try simulator.survivors(roots[root].header)
      if roots[root].survivors.count == Self.survivorsCountMax { roots[root].survivors.removeAll() }
      roots[root].survivors[power.durable] = survivors
    }
    guard let survivors = roots[root].survivors[power.durable] else { return }
    roots[root].state.add(survivors.state)
    var bereft = judge
    for event in survivors.events(down: simulator.life.alive) { bereft.observe(event) }
    bereft.describe(&roots[root].state, tick: simulator.tick)
  }

  /// A few kilobytes each.
  private static var survivorsCountMax: Int { 20_000 }
}
