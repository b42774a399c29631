import PersistentHistory
package import PropertyTesting
package import Traces

/// Draws random plans: who takes part, and what they do, one command after another as the state
/// unfolds, so that nearly every command takes effect.
///
/// Everything is drawn from a choice source: shrinking edits the choices and draws the plan again.
package struct PlanGenerator: Sendable {
  /// What the plans look like.
  package var style: PlanStyle
  private let actions: [PlanAction]

  package init(_ style: PlanStyle = PlanStyle()) {
    self.style = style
    actions = PlanAction.allCases.filter(style.actions.contains)
  }

  /// Draws a plan.
  ///
  /// - Complexity: linear in the commands and changes drawn; no more than a microsecond each.
  package func plan(from source: inout ChoiceSource, seed: UInt64) -> Plan {
    var header = header(&source)
    header.seed = seed
    var state = PlanState(header)
    let swarm = source.swarmWeights(actions.count)
    var commands: [Command] = []
    var repetition = Repetition("command", 0...style.commandCountMax)
    while repetition.next(&source) {
      if let command = command(&source, header, swarm, &state) { commands.append(command) }
    }
    return Plan(header: header, commands: commands)
  }

  // MARK: Who takes part

  private func header(_ source: inout ChoiceSource) -> PlanHeader {
    let model = source.bool(probability: 0.15, label: "model") ? PlanModels.full : PlanModels.plain
    let count = actorCount(&source)
    let actors = Self.names.prefix(count).map { name in
      var actor = PlannedActor(ActorID(name), author: name)
      source.span("actor") { source in
        if source.bool(probability: 0.1) { actor.launched = false }
        if source.bool(probability: 0.2) { actor.strategy = "none" }
      }
      return actor
    }
    var header = PlanHeader(model: model, actors: actors)
    if source.bool(probability: 0.15, label: "mirror") {
      header.protectedAuthors = [Self.mirrorAuthor]
    }
    return header
  }

  /// The author under which a CloudKit mirror imports (`NSCloudKitMirroringDelegate`).
  private static let mirrorAuthor = "NSCloudKitMirroringDelegate.import"

  private func actorCount(_ source: inout ChoiceSource) -> Int {
    let least = max(1, style.actorCounts.lowerBound)
    let most = max(least, min(style.actorCounts.upperBound, Self.names.count))
    // One actor alone converges with itself: that is one plan in a few dozen.
    return least + source.weighted((least...most).map { $0 == 1 ? 1 : 12 }, label: "actors")
  }

  private static let names = [
    "app", "widget", "share", "sync", "watch", "intents", "safari", "mac",
  ]

  // MARK: What they do

  private func command(
    _ source: inout ChoiceSource,
    _ header: PlanHeader,
    _ swarm: [Int],
    _ state: inout PlanState
  ) -> Command? {
    let count = header.actors.count
    let weights = zip(actions, swarm).map { action, factor in
      state.eligible(for: action, of: count).isEmpty ? 0 : action.weight * max(factor, 0)
    }
    let usable = weights.contains { $0 > 0 }
    let fallback = actions.map { state.eligible(for: $0, of: count).isEmpty ? 0 : $0.weight }
    // Nothing is left to do once nobody runs and the style has no launch.
    guard fallback.contains(where: { $0 > 0 }) else { return nil }
    let action = actions[source.weighted(usable ? weights : fallback)]
    let place = actor(&source, state.eligible(for: action, of: count), of: count)
    defer { state.note(action, by: place) }
    return Command(self.action(action, header, header.actors[place], &source, &state))
  }

  /// An actor by its place, so that taking out another command does not change who acts; when it may
  /// not act now, the next one that may.
  private func actor(_ source: inout ChoiceSource, _ eligible: [Int], of count: Int) -> Int {
    let wanted = source.index(below: count)
    return eligible.first { $0 >= wanted } ?? eligible.first ?? wanted
  }

  private func action(
    _ action: PlanAction,
    _ header: PlanHeader,
    _ actor: PlannedActor,
    _ source: inout ChoiceSource,
    _ state: inout PlanState
  ) -> Action {
    switch action {
    case .write: .write(write(&source, header, actor.id, &state))
    case .begin: .begin(write(&source, header, actor.id, &state))
    case .batch: .batch(batch(&source, header, actor.id))
    case .clock: .clock(advance: advance(&source))
    case .commit: .commit(actor.id)
    case .launch: .launch(actor.id)
    case .stop: .stop(actor.id)
    case .crash: .crash(actor.id)
    case .retire: .retire(actor.id)
    case .fetch: .fetch(actor.id)
    case .merge: .merge(actor.id)
    case .record: .record(actor.id)
    case .pass: .pass(actor.id)
    case .purge: .purge(actor.id)
    }
  }

  /// A pause like those between transactions, seldom a day or a step back.
  private func advance(_ source: inout ChoiceSource) -> Double {
    switch source.weighted([16, 1, 1]) {
    case 0: style.gaps[source.index(below: style.gaps.count)]
    case 1: 86_400 * Double(source.int(in: 1...9))
    default: -Double(source.int(in: 1...5))
    }
  }

  // MARK: Writes

  private func write(
    _ source: inout ChoiceSource,
    _ header: PlanHeader,
    _ actor: ActorID,
    _ state: inout PlanState
  ) -> PlannedWrite {
    let context = ["view", "background", "batch"][source.weighted([6, 2, 2])]
    let author = author(&source, header)
    // A batch request makes changes of one type.
    let only = context == "batch" ? batchType(&source) : nil
    let policy = context == "view" ? policy(&source) : .objectWins
    var changes: [PlannedChange] = []
    var repetition = Repetition(
      "change",
      1...style.changeCountMax,
      length: .average(style.averageChangeCount)
    )
    while repetition.next(&source) {
      let change = change(&source, header.model, only: only, state)
      state.note(change)
      changes.append(change)
    }
    return PlannedWrite(
      actor: actor,
      context: context,
      author: author,
      changes: changes,
      policy: Self.replaces(changes) ? .objectWins : policy
    )
  }

  /// Seldom another policy than the plans' own.
  private func policy(_ source: inout ChoiceSource) -> PlannedPolicy {
    PlannedPolicy.allCases[source.weighted([16, 1, 2, 2, 1])]
  }

  /// Whether a write deletes an object and inserts it again: which of the two a conflict is about, a
  /// plan's names do not tell.
  private static func replaces(_ changes: [PlannedChange]) -> Bool {
    let deleted = Set(changes.filter { $0.type == .delete }.map(\.object))
    return changes.contains { $0.type == .insert && deleted.contains($0.object) }
  }

  private func author(_ source: inout ChoiceSource, _ header: PlanHeader) -> WriteAuthor {
    let absent = min(max(Int(style.absentAuthorShare * 100), 1), 60)
    let mirror = header.protectedAuthors.isEmpty ? 0 : 20
    switch source.weighted([95 - absent - mirror, absent, 5, mirror]) {
    case 0: return .own
    case 1: return .absent
    case 3: return .other(Self.mirrorAuthor)
    default:
      let other = header.actors[source.index(below: header.actors.count)]
      return other.author.map { .other($0) } ?? .absent
    }
  }

  private func change(
    _ source: inout ChoiceSource,
    _ model: Model,
    only: ChangeType?,
    _ state: PlanState
  ) -> PlannedChange {
    let entity = model.entities[source.index(below: model.entities.count)]
    let key = source.integer(in: 1...Self.keyMax, simplest: 1)
    let wanted = only ?? operation(&source)
    let live = state.object(entity.name, from: key, through: Self.keyMax, isLive: true)
    let free = state.object(entity.name, from: key, through: Self.keyMax, isLive: false)
    switch (wanted, live, free) {
    case (.insert, _, let object?), (_, nil, let object?):
      return PlannedChange(.insert, object, PlanModels.values(of: entity, &source))
    case (.delete, let object?, _): return PlannedChange(.delete, object)
    default:
      let object = live ?? ObjectName(entity.name, key)
      // A batch that finds every key taken inserts what is there, which takes no effect.
      let type: ChangeType = only == .insert ? .insert : .update
      return PlannedChange(type, object, PlanModels.someValues(of: entity, &source))
    }
  }

  /// Mostly inserts; changes by key go to the same objects as those of others.
  private func batchType(_ source: inout ChoiceSource) -> ChangeType {
    [ChangeType.insert, .update, .delete][source.weighted([5, 3, 2])]
  }

  private func operation(_ source: inout ChoiceSource) -> ChangeType {
    [ChangeType.insert, .update, .delete][source.weighted(style.operationShares)]
  }

  /// The greatest key of a plan: small, so that actors meet on the same objects.
  private static let keyMax: Int64 = 12

  private func batch(
    _ source: inout ChoiceSource,
    _ header: PlanHeader,
    _ actor: ActorID
  ) -> PlannedBatch {
    let entity = header.model.entities[source.index(below: header.model.entities.count)]
    let deletes = source.bool(probability: 0.2)
    return PlannedBatch(
      actor: actor,
      author: author(&source, header),
      type: deletes ? .delete : .update,
      entity: entity.name,
      conditions: PlanConditions.draw(on: entity, &source),
      values: deletes ? [:] : PlanModels.someValues(of: entity, &source)
    )
  }
}
