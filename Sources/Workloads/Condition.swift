/// A difficult condition that plans may contain; raw values are the command line's names.
package enum Condition: String, CaseIterable, Hashable, Sendable {
  /// The clock rises strictly, and no other condition applies.
  case steady
  /// Writes at the same clock value as the write before.
  case ties
  /// A clock that steps back by seconds.
  case clockBack = "clock-back"
  /// A clock that jumps by days, mostly forward, and stays there.
  case clockJump = "clock-jump"
  /// Writes that read the clock, let others write, and then commit.
  case stampBeforeCommit = "stamp-before-commit"
  /// Days without any commands.
  case pause
  /// Actors that lose their memory between any two steps.
  case crash
  /// Actors that stop and are launched again.
  case restart
  /// Actors that make a pass when a signal arrives; signals are late, doubled or lost.
  case lostNotification = "lost-notification"
  /// Actors that share an author, and writes under another actor's author.
  case sameAuthorTwice = "same-author-twice"
  /// A second process of an actor that is running.
  case sameActorTwice = "same-actor-twice"
  /// Writes through contexts other than the view, and batch requests.
  case backgroundWrites = "background-writes"
  /// Writes and actors without an author.
  case absentAuthor = "absent-author"
  /// Actors with different configurations.
  case configSkew = "config-skew"
  /// Actors and consumers whose first launch comes when there is history already.
  case lateJoin = "late-join"
  /// Consumers that read history later than the actors, and the imports of a mirror.
  case mirrorLag = "mirror-lag"
  /// Hooks that throw in the middle of a pass.
  case hookFailure = "hook-failure"
  /// Limits beyond which history is purged although a member has not merged it.
  case retention
  /// Power-offs, which lose or tear data that was not synced.
  case powerOff = "power-off"
  /// File system calls and memory allocations that fail.
  case callFailure = "call-failure"

  /// The default conditions of plans.
  package static let everyday: Set<Condition> = [
    .clockBack, .clockJump, .stampBeforeCommit, .pause, .crash, .restart, .sameAuthorTwice,
    .backgroundWrites, .absentAuthor, .lateJoin, .mirrorLag,
  ]

  /// Whether it consists of faults within commands, which only random plans have.
  package var comesWithFaults: Bool { self == .powerOff || self == .callFailure }

  /// The probability that a plan contains a condition of the whole plan.
  ///
  /// It is `nil` for conditions whose commands are drawn one by one.
  var share: Double? {
    switch self {
    case .lostNotification, .retention, .powerOff, .callFailure: 0.3
    case .hookFailure, .configSkew: 0.35
    case .sameAuthorTwice, .sameActorTwice, .lateJoin, .mirrorLag: 0.25
    default: nil
    }
  }
}
