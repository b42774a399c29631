import PersistentHistory
package import Systems
package import Traces

extension StorePlace {
  /// Starts a system over with an empty store for a plan; the first plan of a kind makes an image from
  /// which the others of the kind start.
  ///
  /// The power may go if a fault of the plan says so, or if the plan unfolds and may have such faults later.
  ///
  /// - Throws: ``SystemFailure`` when the system cannot start.
  package func reset(
    _ system: any SystemUnderTest,
    _ header: PlanHeader,
    _ faults: [PlannedFault] = [],
    mayLosePower: Bool = false
  ) throws(SystemFailure) {
    let kind = "\(header.timestamps.rawValue) \(header.model.hashValue)"
    if !hasTemplate(kind: kind) {
      // No connection to another kind's file may be taken for one to this. Made with a fixed seed, so
      // that the image does not depend on which plan came first.
      system.close()
      var bare = header
      bare.actors = []
      try system.reset(bare, prepare(seed: 0, kind: kind))
      system.close()
      keepTemplate(kind: kind)
    }
    let losesPower = mayLosePower || faults.contains(where: \.kind.isPowerOff)
    let hasFaults = losesPower || !faults.isEmpty
    // What a connection remembers from another plan, of its log, pages and statements, decides what it
    // syncs and reads, and what it needs memory for.
    if hasFaults { system.close() }
    try system.reset(header, prepare(seed: header.seed, kind: kind, hasFaults: hasFaults))
    if losesPower { watchPower() }
  }
}
