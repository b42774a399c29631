import Traces

extension PlanAlphabet {
  /// Returns commands during which the power goes off.
  ///
  /// If every commit is synced, these are a power-off between two commands, and one at the second
  /// commit of each possible pass and purge. If none is, everything written since the power came on
  /// is lost, or all of it is kept.
  func powerOffs(_ place: PlanPlace) -> [Command] {
    guard losesPower, !running(place).isEmpty else { return [] }
    let between = Command(.clock(advance: 0), faults: [.powerOff])
    guard place.isSynced else {
      return [between, Command(.clock(advance: 0), faults: [Self.sparing])]
    }
    return [between] + passes(place).map { Command($0, faults: [Self.secondSync]) }
  }

  /// A power-off that loses a command's second commit, or follows a command with only one.
  private static let secondSync = PlannedFault(kind: .powerOff, file: .wal, call: .sync, k: 2)
  /// A power-off after the disk has written everything by itself: the seed keeps every sector.
  private static let sparing = PlannedFault(
    kind: .torn,
    file: .wal,
    call: .sync,
    k: 1,
    seed: 17
  )
}
