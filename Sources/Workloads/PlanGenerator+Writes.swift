import HistoryTypes
import PropertyTesting
import Traces

extension PlanGenerator {
  /// Draws a save through one of an actor's contexts.
  func write(
    _ source: inout ChoiceSource,
    _ actor: PlannedActor,
    _ draft: inout PlanDraft
  ) -> PlannedWrite {
    if draft.header.hasRelations { return relatedWrite(&source, actor, &draft) }
    let context = context(&source, actor, draft)
    let author = author(&source, draft, of: actor, in: context)
    // All changes of a batch request have the same type.
    let only = context == "batch" ? batchType(&source) : nil
    let policy = context == "view" && style.hasPolicies ? policy(&source) : .objectWins
    let ticks = !(draft.active.contains(.ties) && source.bool(probability: 0.25))
    var changes: [PlannedChange] = []
    var repetition = Repetition(
      "change",
      1...style.changeCountMax,
      length: .average(style.averageChangeCount)
    )
    while repetition.next(&source) {
      let change = change(&source, only: only, draft.header.model(of: actor.id), draft)
      draft.state.note(change)
      changes.append(change)
    }
    return PlannedWrite(
      actor: actor.id,
      context: context,
      author: author,
      changes: changes,
      policy: Self.replaces(changes) ? .objectWins : policy,
      ticks: ticks
    )
  }

  /// Draws a write with plain SQL, and the actor that reads the store first afterwards.
  ///
  /// The writing program knows only the attributes of the store's first model version. The write
  /// has no author, an author of its own, or an actor's author.
  func plainSQL(
    _ source: inout ChoiceSource,
    _ actor: PlannedActor,
    _ draft: inout PlanDraft
  ) -> PlannedWrite {
    let author: WriteAuthor =
      switch source.weighted([6, 2, 1], label: "author") {
      case 0: .absent
      case 1: .other("script")
      default: .other(draft.header.actors[source.index(below: draft.header.actors.count)].id.name)
      }
    let isRelated = draft.header.hasRelations
    let replaces = !isRelated && source.bool(probability: 0.3, label: "replaces")
    let before = draft.state
    var changes: [PlannedChange] = []
    var repetition = Repetition("change", 1...style.changeCountMax, length: .average(2))
    while repetition.next(&source) {
      let change =
        isRelated
        ? relatedChange(&source, after: changes, draft)
        : change(&source, only: nil, draft.header.olderModel, draft)
      draft.state.note(change)
      changes.append(change)
    }
    if draft.state.isRefused { draft.state = before }
    return PlannedWrite(
      actor: actor.id,
      context: PlannedWrite.plainSQL,
      author: author,
      changes: changes,
      policy: replaces ? .overwrite : .objectWins
    )
  }

  private func context(
    _ source: inout ChoiceSource,
    _ actor: PlannedActor,
    _ draft: PlanDraft
  ) -> String {
    guard draft.active.contains(.backgroundWrites) else { return "view" }
    let sibling = actor.contexts ?? 1 > 1 ? 3 : 0
    return ["view", "background", "batch", PlannedActor.contextName(1)][
      source.weighted([6, 2, 2, sibling])
    ]
  }

  /// Draws the merge policy of a write, mostly the default policy.
  private func policy(_ source: inout ChoiceSource) -> PlannedPolicy {
    PlannedPolicy.allCases[source.weighted([16, 1, 2, 2, 1])]
  }

  /// Returns whether a write deletes an object and inserts it again.
  ///
  /// Both objects then have the same name, so a report of a conflict would not show which of them
  /// it concerns.
  private static func replaces(_ changes: [PlannedChange]) -> Bool {
    let deleted = Set(changes.filter { $0.type == .delete }.map(\.object))
    return changes.contains { $0.type == .insert && deleted.contains($0.object) }
  }

  /// Draws the author of a write, mostly that of its actor.
  ///
  /// Depending on the plan, the author may also be another actor's, a batch author or a mirror's,
  /// or absent.
  func author(
    _ source: inout ChoiceSource,
    _ draft: PlanDraft,
    of actor: PlannedActor,
    in context: String
  ) -> WriteAuthor {
    let header = draft.header
    let absent = min(max(Int(style.absentAuthorShare * 100), 1), 60)
    let weights = [
      100, draft.active.contains(.absentAuthor) ? absent : 0,
      draft.active.contains(.sameAuthorTwice) ? 5 : 0, header.batchAuthors.isEmpty ? 0 : 15,
      header.protectedAuthors.isEmpty ? 0 : 20,
    ]
    switch source.weighted(weights) {
    case 0:
      let isBackground = context == "background" || context == "batch"
      return isBackground
        ? style.setup?.backgroundAuthors[actor.id].map { .other($0) } ?? .own : .own
    case 1: return .absent
    case 2:
      let other = header.actors[source.index(below: header.actors.count)]
      return other.author.map { .other($0) } ?? .absent
    case 3: return .other(header.batchAuthors[source.index(below: header.batchAuthors.count)])
    default:
      // A pattern such as `name.*` becomes an author that matches it.
      let name = header.protectedAuthors[source.index(below: header.protectedAuthors.count)]
      return .other(name.hasSuffix("*") ? name.dropLast() + "import" : name)
    }
  }

  // MARK: Changes

  private func change(
    _ source: inout ChoiceSource,
    only: ChangeType?,
    _ model: Model,
    _ draft: PlanDraft
  ) -> PlannedChange {
    let entities = model.entities
    let entity = entities[source.index(below: entities.count)]
    let key = source.integer(in: 1...Self.keyMax, simplest: 1)
    let wanted = only ?? operation(&source)
    let live = draft.state.object(entity.name, from: key, through: Self.keyMax, isLive: true)
    let free = draft.state.object(entity.name, from: key, through: Self.keyMax, isLive: false)
    switch (wanted, live, free) {
    case (.insert, _, let object?), (_, nil, let object?):
      return PlannedChange(.insert, object, PlanModels.values(of: entity, &source))
    case (.delete, let object?, _): return PlannedChange(.delete, object)
    default:
      let object = live ?? ObjectName(entity.name, key)
      // If every key is in use, a batch inserts an existing object, which has no effect.
      let type: ChangeType = only == .insert ? .insert : .update
      return PlannedChange(type, object, PlanModels.someValues(of: entity, &source))
    }
  }

  /// Draws the change type of a batch request by key: mostly insert, sometimes update or delete.
  private func batchType(_ source: inout ChoiceSource) -> ChangeType {
    [ChangeType.insert, .update, .delete][source.weighted([5, 3, 2])]
  }

  private func operation(_ source: inout ChoiceSource) -> ChangeType {
    [ChangeType.insert, .update, .delete][source.weighted(style.operationShares)]
  }

  /// The greatest key in a plan; so small that actors often change the same objects.
  private static let keyMax: Int64 = 12

  /// Draws an update or a delete by predicate.
  func batch(
    _ source: inout ChoiceSource,
    _ actor: PlannedActor,
    _ draft: PlanDraft
  ) -> PlannedBatch {
    let entities = draft.header.model(of: actor.id).entities
    let entity = entities[source.index(below: entities.count)]
    let deletes = source.bool(probability: 0.2)
    return PlannedBatch(
      actor: actor.id,
      author: author(&source, draft, of: actor, in: "batch"),
      type: deletes ? .delete : .update,
      entity: entity.name,
      conditions: PlanPredicates.draw(on: entity, &source),
      values: deletes ? [:] : PlanModels.someValues(of: entity, &source)
    )
  }
}
