internal import CSQLite

/// The armed faults of a file system, and the calls that each has counted and failed.
struct ArmedFaults {
  private(set) var tallies: [FaultTally] = []
  /// Whether any faults are armed.
  private(set) var isArmed = false

  /// Replaces the faults; their counts start at 0.
  mutating func arm(_ faults: [FileFault]) {
    tallies = faults.map(FaultTally.init)
    isArmed = !faults.isEmpty
  }

  /// Counts a call, and returns its result code, and the power loss if it turns the power off.
  @inline(never)
  mutating func strike(_ call: FileCall, _ kind: FileKind) -> (code: Int32, power: PowerLoss?) {
    var first: Int32?
    var power: PowerLoss?
    for index in tallies.indices {
      guard let code = tallies[index].strike(call, on: kind) else { continue }
      power = power ?? tallies[index].fault.power
      first = first ?? code
    }
    return (first ?? SQLITE_OK, power)
  }
}
