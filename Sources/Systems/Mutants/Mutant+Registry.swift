import HistoryStore

extension Mutant {
  /// Where a member starts is wrong.
  static let joining: [Mutant] = [
    Mutant(
      "join-without-snapshot",
      least: 2,
      "A member that joins does not read the data that are there."
    ) {
      $0.registry.loads = { $0 != .join }
    },
    Mutant(
      "launch-without-snapshot",
      least: 4,
      "A member that is launched again does not read the data."
    ) {
      $0.registry.loads = { $0 != .launch }
    },
    Mutant(
      "join-at-beginning",
      least: 4,
      "A member that joins starts before everything, purged or not."
    ) {
      $0.registry.firstCursor = .beginning
    },
    Mutant(
      "join-at-old-cursor",
      least: 5,
      under: ["restart"],
      "A member that comes back after it retired takes up its old registration."
    ) { $0.registry.returnCursor = .cursor },
    Mutant(
      "join-in-old-epoch",
      least: 3,
      under: ["same-actor-twice"],
      "A launch takes up the epoch of the one before: the process that it replaces is not refused."
    ) { $0.registry.nextEpoch = "max(value, 1)" },
    Mutant(
      "launch-at-head",
      least: 3,
      "A member that is launched again starts at the newest transaction."
    ) {
      $0.registry.laterCursor = .head
    },
    Mutant(
      "launch-at-beginning",
      least: 4,
      "A member that is launched again starts before everything."
    ) {
      $0.registry.laterCursor = .beginning
    },
  ]

  /// What becomes of a member that a limit cuts off is wrong.
  static let losing: [Mutant] = [
    Mutant(
      "cut-off-too-early",
      least: 4,
      under: ["retention"],
      "A retention limit cuts off who is just within it."
    ) {
      $0.registry.cutOff = $0.registry.cutOff.replacing("cursor < ?1", with: "cursor <= ?1")
    },
    Mutant(
      "cut-off-consumers",
      least: 3,
      under: ["retention", "mirror-lag"],
      "A retention limit cuts off consumers, too."
    ) { $0.registry.cutOff = $0.registry.cutOff.replacing(" AND kind = 0", with: "") },
    Mutant(
      "cut-off-after-jump",
      least: 4,
      under: ["retention", "pause", "clock-jump"],
      "A limit on age counts the days in which a device lay in a drawer."
    ) { $0.registry.timestampJump = .infinity },
    Mutant(
      "loss-untold",
      least: 3,
      under: ["retention"],
      "A member that was cut off, and one whose history is gone, is not told."
    ) { $0.registry.tellsLoss = false },
    Mutant(
      "loss-untold-at-launch",
      least: 5,
      under: ["retention", "restart"],
      "A member that was cut off joins as if it were new, and is not told."
    ) { $0.registry.tellsLossAtLaunch = false },
    Mutant(
      "resync-without-snapshot",
      least: 2,
      under: ["retention"],
      "A member that was cut off goes on from the head, and does not read the data anew."
    ) { $0.registry.loads = { $0 != .resync } },
    Mutant(
      "resync-at-cursor",
      least: 3,
      under: ["retention"],
      "A member that was cut off reads the data anew, and goes on where it was."
    ) { $0.registry.resyncCursor = .cursor },
  ]
}
