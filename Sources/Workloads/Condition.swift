/// A kind of trouble that plans may contain; each has the name that the command line takes.
package enum Condition: String, CaseIterable, Hashable, Sendable {
  /// The clock rises strictly, and nothing else happens: no trouble at all.
  case steady
  /// Writes that find the clock where the one before left it.
  case ties
  /// A clock that steps back by seconds.
  case clockBack = "clock-back"
  /// A clock that jumps by days, mostly forward, and stays there.
  case clockJump = "clock-jump"
  /// Writes that read the clock, let others write, and commit.
  case stampBeforeCommit = "stamp-before-commit"
  /// Days in which nothing happens.
  case pause
  /// Actors that lose what they had in memory, between any two steps.
  case crash
  /// Actors that stop and are launched again.
  case restart
  /// Actors that pass when a signal reaches them: signals come late, twice or never.
  case lostNotification = "lost-notification"
  /// Actors that share an author, and writes under another actor's author.
  case sameAuthorTwice = "same-author-twice"
  /// A second process that takes itself for an actor that runs.
  case sameActorTwice = "same-actor-twice"
  /// Writes through other contexts than the view, and batch requests.
  case backgroundWrites = "background-writes"
  /// Writes, and actors, without an author.
  case absentAuthor = "absent-author"
  /// Actors that are configured differently.
  case configSkew = "config-skew"
  /// Actors and consumers that are first launched when there is history already.
  case lateJoin = "late-join"
  /// Consumers that read history later than the actors, and what a mirror imports.
  case mirrorLag = "mirror-lag"
  /// Hooks that throw in the middle of a pass.
  case hookFailure = "hook-failure"
  /// Limits beyond which history is cut although a member has not merged it.
  case retention
  /// What was not synced is lost or torn when the power goes.
  case powerOff = "power-off"
  /// Calls to the file system, and for memory, that fail.
  case callFailure = "call-failure"

  /// The conditions that plans contain unless someone says otherwise.
  package static let everyday: Set<Condition> = [
    .clockBack, .clockJump, .stampBeforeCommit, .pause, .crash, .restart, .sameAuthorTwice,
    .backgroundWrites, .absentAuthor, .lateJoin, .mirrorLag,
  ]

  /// Whether it lies in faults within commands, which only random plans have.
  package var comesWithFaults: Bool { self == .powerOff || self == .callFailure }

  /// How likely a plan is to contain a condition that shapes the whole plan; nothing for those whose
  /// commands are drawn one by one.
  var share: Double? {
    switch self {
    case .lostNotification, .retention, .powerOff, .callFailure: 0.3
    case .hookFailure, .configSkew: 0.35
    case .sameAuthorTwice, .sameActorTwice, .lateJoin, .mirrorLag: 0.25
    default: nil
    }
  }
}
