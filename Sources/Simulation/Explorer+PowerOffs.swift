import Faults
import Systems
import Traces

/// Power-offs: the data that would survive one is part of a state.
extension Explorer {
  /// Adds what would survive a power-off now, if unsynced writes would be lost.
  ///
  /// This covers the state of the store and the judge's state after the power-off.
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

  /// The greatest number of cached entries per root; each takes a few kilobytes.
  private static var survivorsCountMax: Int { 20_000 }
}
