import Traces

extension PlanAlphabet {
  /// The power goes between two commands.
  ///
  /// Where every commit is synced also between the commits of whatever makes two of them; where none is,
  /// with everything lost that was written since the power went on, or nothing.
  func powerOffs(_ place: PlanPlace) -> [Command] {
    guard losesPower, !running(place).isEmpty else { return [] }
    let between = Command(.clock(advance: 0), faults: [.powerOff])
    guard place.isSynced else {
      return [between, Command(.clock(advance: 0), faults: [Self.sparing])]
    }
    return [between] + passes(place).map { Command($0, faults: [Self.secondSync]) }
  }

  /// The power goes at a command's second commit, which is lost; after the command if it makes only one.
  private static let secondSync = PlannedFault(kind: .powerOff, file: .wal, call: .sync, k: 2)
  /// The power goes when the disk has written everything by itself: the seed keeps every sector.
  private static let sparing = PlannedFault(
    kind: .torn,
    file: .wal,
    call: .sync,
    k: 1,
    seed: 17
  )
}
