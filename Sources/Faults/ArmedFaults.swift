internal import CSQLite

/// The faults that a file system is armed with, and what they have done.
struct ArmedFaults {
  private(set) var tallies: [FaultTally] = []
  /// Whether there are any.
  private(set) var isArmed = false

  /// Replaces the faults; their counts start here.
  mutating func arm(_ faults: [FileFault]) {
    tallies = faults.map(FaultTally.init)
    isArmed = !faults.isEmpty
  }

  /// Counts a call, and answers the code that it fails with, and whether the power goes.
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
