import PersistentHistory
package import Systems
package import Traces

extension StorePlace {
  /// Resets a system to an empty store for a plan.
  ///
  /// The first plan of a kind creates an image from which the others of the kind start. Power-offs
  /// are possible if a fault of the plan is one, or if `mayLosePower` is set because the plan's
  /// later faults are not yet known.
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
      // Closed first, so that no connection to another kind's file is mistaken for one to this
      // file. The seed is fixed, so that the image does not depend on which plan came first.
      system.close()
      var bare = header
      bare.actors = []
      try system.reset(bare, prepare(seed: 0, kind: kind))
      system.close()
      keepTemplate(kind: kind)
    }
    let losesPower = mayLosePower || faults.contains(where: \.kind.isPowerOff)
    let hasFaults = losesPower || !faults.isEmpty
    // A connection's cached log, pages and statements from another plan affect its syncs, reads and
    // allocations, and a plan with faults may have ended inside a transaction.
    if hasFaults || hadFaults { system.close() }
    hadFaults = hasFaults
    try system.reset(header, prepare(seed: header.seed, kind: kind, hasFaults: hasFaults))
    if losesPower { watchPower() }
  }
}
