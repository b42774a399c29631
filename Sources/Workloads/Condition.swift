import HistoryTypes
package import Traces

/// A difficulty that plans may contain, such as crashes; the raw value is its command-line name.
///
/// When you add a condition:
/// - Leave it out of ``everyday``, because otherwise the plans of every seed change.
/// - If a generated command depends on earlier commands, record the needed facts in `note` of
///   `PlanState` for random plans, and of `ExploredPlanState` for explored plans. Add them to
///   `ExploredPlanState.describe` too; otherwise exploration merges states that differ.
/// - If only one kind of command may come next at some point, let `PlanState.eligible` return no
///   actor for the other kinds. The generator must still draw the command: a command that is
///   generated without a draw cannot be shrunk.
/// - Give each kind of command (`PlanAction`) at most one condition. If your condition needs a kind
///   that has another condition already, add a case to `PlanAction`.
/// - A new case of `Action` starts in `Sources/Traces` (`PlanCodec`, `Formats.md`) and in every
///   system that performs it.
/// - Add the condition to `HistoryCondition` and `Subject.lack` in `Sources/HistorySystems`;
///   otherwise systems of other packages are not tested under it.
/// - If the test `The tracker holds under every condition, and every invariant is exercised` then
///   fails for an existing checker, the new commands are too frequent: give them the weight of
///   similar commands in `PlanAction.weight`.
package enum Condition: String, CaseIterable, Hashable, Sendable {
  /// The clock rises strictly, and no other condition applies.
  case steady
  /// Some writes have the same clock value as the previous write.
  case ties
  /// The clock steps back by seconds.
  case clockBack = "clock-back"
  /// The clock jumps by days, mostly forward, and is not corrected afterwards.
  case clockJump = "clock-jump"
  /// A write reads the clock, other writes commit, and then the first write commits.
  case stampBeforeCommit = "stamp-before-commit"
  /// Days pass without any commands.
  case pause
  /// Actors crash between any two steps, and lose what they have in memory.
  case crash
  /// Actors stop and are launched again.
  case restart
  /// Actors make a pass when a signal arrives; signals may be late, duplicated or lost.
  case lostNotification = "lost-notification"
  /// Several actors may have the same author, and some writes may use another actor's author.
  case sameAuthorTwice = "same-author-twice"
  /// A second process of a running actor starts.
  case sameActorTwice = "same-actor-twice"
  /// Actors write through contexts other than the view, and make batch requests.
  case backgroundWrites = "background-writes"
  /// Writes and actors have no author.
  case absentAuthor = "absent-author"
  /// Actors have different configurations.
  case configSkew = "config-skew"
  /// Actors and consumers are launched for the first time when the store already has history.
  case lateJoin = "late-join"
  /// Consumers read history later than the actors, and a CloudKit mirror imports transactions.
  case mirrorLag = "mirror-lag"
  /// Hooks throw in the middle of a pass.
  case hookFailure = "hook-failure"
  /// Retention limits purge history although a member has not merged it.
  case retention
  /// Processes close their store when the system suspends them, and reopen it when they resume.
  case suspension
  /// Power-offs lose or tear data that was not synced.
  case powerOff = "power-off"
  /// File system calls and memory allocations fail.
  case callFailure = "call-failure"
  /// A program without the library writes to the file with plain SQL.
  case foreignWriter = "foreign-writer"
  /// Actors have different versions of the model; a newer actor upgrades the file while others run.
  case modelSkew = "model-skew"
  /// Objects have references and unique values: a write may change other objects, or be refused.
  case relations

  /// The default conditions of plans.
  package static let everyday: Set<Condition> = [
    .clockBack, .clockJump, .stampBeforeCommit, .pause, .crash, .restart, .sameAuthorTwice,
    .backgroundWrites, .absentAuthor, .lateJoin, .mirrorLag,
  ]

  /// Whether the condition adds faults to the commands of random plans.
  package var comesWithFaults: Bool { self == .powerOff || self == .callFailure }

  /// The probability that a plan contains the condition, for conditions of a whole plan.
  ///
  /// The probability is `nil` for conditions whose commands are drawn one by one.
  var share: Double? {
    switch self {
    case .lostNotification, .retention, .powerOff, .callFailure, .foreignWriter, .modelSkew,
      .relations:
      0.3
    case .hookFailure, .configSkew: 0.35
    case .sameAuthorTwice, .sameActorTwice, .lateJoin, .mirrorLag: 0.25
    default: nil
    }
  }
}

extension Condition {
  /// Returns the difficulties that a plan contains, such as crashes; only `steady` if it has none.
  ///
  /// - Complexity: linear in the commands.
  package static func found(in plan: Plan) -> Set<Condition> {
    var found = found(in: plan.header)
    for command in plan.commands {
      found.formUnion(Self.found(in: command.action, plan.header))
      if command.losesPower { found.insert(.powerOff) }
      if command.faults.contains(where: { !$0.kind.isPowerOff }) { found.insert(.callFailure) }
    }
    if hasSecondLaunch(plan) { found.insert(.sameActorTwice) }
    return found.isEmpty ? [.steady] : found
  }

  private static func found(in header: PlanHeader) -> Set<Condition> {
    var found: Set<Condition> = []
    let authors = header.actors.compactMap(\.author)
    if Set(authors).count < authors.count { found.insert(.sameAuthorTwice) }
    if authors.count < header.actors.count { found.insert(.absentAuthor) }
    if header.retention != nil { found.insert(.retention) }
    if !header.consumers.isEmpty { found.insert(.mirrorLag) }
    if header.hasOlderModel { found.insert(.modelSkew) }
    if header.hasRelations || header.actors.contains(where: \.isPartial) {
      found.insert(.relations)
    }
    // Actors that all ignore only a mirror's imports do not count as differently configured,
    // because this is the default of PersistentHistoryTrackingKit.
    let isMirrorless = header.actors.allSatisfy { $0.ignores == [PlanGenerator.mirrorAuthor] }
    for actor in header.actors {
      if !actor.launched { found.insert(.lateJoin) }
      let ignores = isMirrorless ? nil : actor.ignores
      let isSkewed = [actor.allAuthors, actor.batchAuthors, ignores].contains { $0 != nil }
      if isSkewed || actor.cursors != nil { found.insert(.configSkew) }
      let hooks = (actor.hooks ?? []).compactMap(PlannedHook.init)
      if hooks.contains(where: { $0 != .observer }) { found.insert(.hookFailure) }
    }
    return found
  }

  private static func found(in action: Action, _ header: PlanHeader) -> Set<Condition> {
    switch action {
    case .write(let write): found(in: write, header)
    case .begin(let write): found(in: write, header).union([.stampBeforeCommit])
    case .batch(let batch):
      Set([batch.author == .absent ? .absentAuthor : .backgroundWrites, .backgroundWrites])
    case .clock(let advance):
      advance < 0 ? [.clockBack] : advance >= 86_400 ? [.pause, .clockJump] : []
    case .crash: [.crash]
    case .stop: [.restart]
    case .suspend, .resume: [.suspension]
    case .consume: [.mirrorLag]
    case .belated: [.sameActorTwice]
    case .deliver(_, let fate), .poll(_, let fate): fate == .delivered ? [] : [.lostNotification]
    default: []
    }
  }

  private static func found(in write: PlannedWrite, _ header: PlanHeader) -> Set<Condition> {
    var found: Set<Condition> = []
    if !write.ticks { found.insert(.ties) }
    if write.isPlainSQL(header) { return found.union([.foreignWriter]) }
    if write.context != "view" { found.insert(.backgroundWrites) }
    switch write.author {
    case .own: break
    case .absent: found.insert(.absentAuthor)
    case .other(let author):
      let actors = header.actors.filter { $0.author == author }
      if actors.contains(where: { $0.id != write.actor }) { found.insert(.sameAuthorTwice) }
      // An author of background contexts counts as listed, because `allAuthors` contains it by default.
      let isListed =
        header.batchAuthors.contains(author)
        || header.actors.contains { $0.allAuthors?.contains(author) == true }
      if actors.isEmpty, !isListed { found.insert(.mirrorLag) }
    }
    return found
  }

  /// Returns whether a plan launches an actor that is already running.
  private static func hasSecondLaunch(_ plan: Plan) -> Bool {
    var running = Set(plan.header.actors.filter(\.launched).map(\.id))
    for command in plan.commands {
      switch command.action {
      case .launch(let actor): if !running.insert(actor).inserted { return true }
      case .stop(let actor), .crash(let actor), .retire(let actor): running.remove(actor)
      default: break
      }
      if command.losesPower { running.removeAll() }
    }
    return false
  }
}
