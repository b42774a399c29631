/// The decisions about who is a member, and from where on.
package struct RegistryRules: Sendable {
  /// Where a member starts at its first launch.
  package var firstCursor = StartingPoint.head
  /// Where a member starts that comes back: it had retired, or was told that it lost history.
  package var returnCursor = StartingPoint.head
  /// Where a member starts that is known.
  package var laterCursor = StartingPoint.cursor
  /// Where a member starts that has lost history.
  package var resyncCursor = StartingPoint.head
  /// The epoch of the next launch, from that of the last one.
  package var nextEpoch = "value + 1"
  /// Whether the contexts read their objects when a member starts.
  package var loads: @Sendable (_ start: MemberStart) -> Bool = { _ in true }
  /// Marks those as lost who have not merged through a number, and names them: never a consumer.
  package var cutOff =
    "UPDATE history_member SET state = 2 WHERE state = 0 AND kind = 0 AND cursor < ?1 RETURNING id"
  /// The seconds between two transactions beyond which the limit on age does not count them.
  package var timestampJump = 86_400.0
  /// Whether a member that lost history is told so when it asks for more.
  package var tellsLoss = true
  /// Whether a member that lost history is told so when it is launched.
  package var tellsLossAtLaunch = true

  package init() {}
}

/// A place in history where a member may start.
package enum StartingPoint: Sendable, Hashable {
  /// Before everything.
  case beginning
  /// Behind what it has recorded.
  case cursor
  /// Behind the newest transaction.
  case head
}

/// How a member starts.
package enum MemberStart: Sendable, Hashable {
  /// It is launched for the first time, or after it was told that it lost history.
  case join
  /// It is launched again.
  case launch
  /// It runs, and was told that it lost history.
  case resync
}
