import PersistentHistory
package import Traces

extension Condition {
  /// Returns the conditions that a plan contains.
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
    for actor in header.actors {
      if !actor.launched { found.insert(.lateJoin) }
      let isSkewed = [actor.allAuthors, actor.batchAuthors, actor.ignores].contains { $0 != nil }
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
    case .consume: [.mirrorLag]
    case .belated: [.sameActorTwice]
    case .deliver(_, let fate), .poll(_, let fate): fate == .delivered ? [] : [.lostNotification]
    default: []
    }
  }

  private static func found(in write: PlannedWrite, _ header: PlanHeader) -> Set<Condition> {
    var found: Set<Condition> = []
    if !write.ticks { found.insert(.ties) }
    if write.context != "view" { found.insert(.backgroundWrites) }
    switch write.author {
    case .own: break
    case .absent: found.insert(.absentAuthor)
    case .other(let author):
      let actors = header.actors.filter { $0.author == author }
      if actors.contains(where: { $0.id != write.actor }) { found.insert(.sameAuthorTwice) }
      if actors.isEmpty, !header.batchAuthors.contains(author) { found.insert(.mirrorLag) }
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
