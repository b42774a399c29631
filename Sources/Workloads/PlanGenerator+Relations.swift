import HistoryTypes
import PropertyTesting
import Traces

/// Draws writes of objects in a model that has references and unique attributes.
extension PlanGenerator {
  /// Draws a save whose changes refer to objects, delete referenced objects, or create duplicates.
  func relatedWrite(
    _ source: inout ChoiceSource,
    _ actor: PlannedActor,
    _ draft: inout PlanDraft
  ) -> PlannedWrite {
    let sibling = actor.contexts ?? 1 > 1 ? 2 : 0
    let context = ["view", "background", PlannedWrite.batch, PlannedActor.contextName(1)][
      source.weighted([6, 3, 2, sibling])
    ]
    let author = author(&source, draft, of: actor, in: context)
    let policy = relatedPolicy(&source, context, draft.active)
    let ticks = !(draft.active.contains(.ties) && source.bool(probability: 0.25))
    let before = draft.state
    var write = RelatedDraft(isRequest: context == PlannedWrite.batch)
    if write.isRequest {
      let entities = draft.header.model.entities
      write.entity = entities[source.index(below: entities.count)]
      write.type = [ChangeType.insert, .delete, .update][source.weighted([5, 4, 2])]
    }
    var repetition = Repetition("change", 1...6, length: .average(style.averageChangeCount))
    while repetition.next(&source) {
      let change = relatedChange(&source, write, draft)
      draft.state.note(change)
      write.changes.append(change)
    }
    if draft.state.isRefused { draft.state = before }
    return PlannedWrite(
      actor: actor.id,
      context: context,
      author: author,
      changes: write.changes,
      policy: policy,
      ticks: ticks
    )
  }

  /// Draws the merge policy of a save, for conflicts and for duplicates.
  ///
  /// Under conditions in which commands may fail, a save through an actor's view has the default
  /// policy: after a failure it is unknown which states of objects the view has read.
  func relatedPolicy(
    _ source: inout ChoiceSource,
    _ context: String,
    _ active: Set<Condition>
  ) -> PlannedPolicy {
    let failing: Set<Condition> = [
      .powerOff, .callFailure, .hookFailure, .retention, .sameActorTwice, .lostNotification,
    ]
    let mayDiffer =
      context == "background" || context == "view" && failing.isDisjoint(with: active)
    guard style.hasPolicies, mayDiffer else { return .objectWins }
    return PlannedPolicy.allCases[source.weighted([8, 3, 4, 3, 2], label: "policy")]
  }

  /// Draws one more change for a save that contains `changes`; the model has references.
  func relatedChange(
    _ source: inout ChoiceSource,
    after changes: [PlannedChange],
    _ draft: PlanDraft
  ) -> PlannedChange {
    var write = RelatedDraft(isRequest: false)
    write.changes = changes
    return relatedChange(&source, write, draft)
  }

  private func relatedChange(
    _ source: inout ChoiceSource,
    _ write: RelatedDraft,
    _ draft: PlanDraft
  ) -> PlannedChange {
    let entities = draft.header.model.entities
    let entity = write.entity ?? entities[source.index(below: entities.count)]
    let key = source.integer(in: 1...Self.relatedKeyMax, simplest: 1)
    let wanted =
      write.type ?? [ChangeType.insert, .update, .delete][source.weighted([40, 40, 20])]
    let isLive = wanted != .insert
    let object =
      draft.state.object(entity.name, from: key, through: Self.relatedKeyMax, isLive: isLive)
      ?? ObjectName(entity.name, key)
    // A write does not insert an object that it has deleted, because a reference would then have
    // two meanings.
    let type: ChangeType = wanted == .insert && write.deletes(object) ? .update : wanted
    switch type {
    case .delete: return PlannedChange(.delete, object)
    case .insert:
      var values: Values = [:]
      for attribute in entity.attributes
      where !attribute.isOptional || !source.bool(probability: 0.15) {
        values[attribute.name] = value(of: attribute, in: entity, write, draft, &source)
      }
      return PlannedChange(.insert, object, values)
    case .update:
      let names = entity.uniquenessConstraints.joined()
      let settable = entity.attributes.filter { !write.isRequest || !names.contains($0.name) }
      var values: Values = [:]
      for _ in 0...(source.bool(probability: 0.4) ? 1 : 0) {
        let attribute = settable[source.index(below: settable.count)]
        values[attribute.name] = value(of: attribute, in: entity, write, draft, &source)
      }
      return PlannedChange(.update, object, values)
    }
  }

  /// Draws a value; a reference mostly names an existing object, rarely a missing one or null.
  private func value(
    of attribute: Attribute,
    in entity: Entity,
    _ write: RelatedDraft,
    _ draft: PlanDraft,
    _ source: inout ChoiceSource
  ) -> Value {
    guard let destination = attribute.reference?.entity else {
      guard entity.uniquenessConstraints.joined().contains(attribute.name) else {
        return PlanModels.value(of: attribute.type, &source)
      }
      return .string(["a", "b", "c", "d"][source.index(below: 4)])
    }
    // A batch request cannot refer to objects that it inserts itself.
    if write.type == .insert, destination == write.entity?.name { return .null }
    let key = source.integer(in: 1...Self.relatedKeyMax, simplest: 1)
    switch source.weighted([20, 1, attribute.isOptional ? 4 : 1], label: "reference") {
    case 0:
      let found = draft.state.object(
        destination,
        from: key,
        through: Self.relatedKeyMax,
        isLive: true
      )
      return .int(found?.key ?? key)
    case 1: return .int(key)
    default: return .null
    }
  }

  /// Draws an update or delete by predicate, which may compare a reference with an object.
  func relatedBatch(
    _ source: inout ChoiceSource,
    _ actor: PlannedActor,
    _ draft: PlanDraft
  ) -> PlannedBatch {
    let entities = draft.header.model.entities
    let entity = entities[source.index(below: entities.count)]
    let deletes = source.bool(probability: 0.6)
    let references = entity.attributes.filter { $0.reference != nil }
    var conditions: [PlannedCondition] = []
    if !references.isEmpty, source.bool(probability: 0.4, label: "by reference") {
      let name = references[source.index(below: references.count)].name
      let key = source.integer(in: 1...Self.relatedKeyMax, simplest: 1)
      conditions = [PlannedCondition(name, .equal, .int(key))]
    } else {
      conditions = PlanPredicates.draw(on: entity, &source)
    }
    var values: Values = [:]
    if !deletes {
      let attribute = entity.attributes[source.index(below: entity.attributes.count)]
      let write = RelatedDraft(isRequest: true)
      values[attribute.name] = value(of: attribute, in: entity, write, draft, &source)
    }
    return PlannedBatch(
      actor: actor.id,
      author: author(&source, draft, of: actor, in: PlannedWrite.batch),
      type: deletes ? .delete : .update,
      entity: entity.name,
      conditions: conditions,
      values: values
    )
  }

  /// The greatest key in a plan with relations; it is small, so that many objects refer to the same
  /// one.
  private static let relatedKeyMax: Int64 = 6
}

/// A write with relations that is being generated.
private struct RelatedDraft {
  /// Whether the write is one batch request.
  let isRequest: Bool
  /// The entity of all changes of a batch request; `nil` for a save, whose changes may differ.
  var entity: Entity?
  /// The type of all changes of a batch request; `nil` for a save, whose changes may differ.
  var type: ChangeType?
  var changes: [PlannedChange] = []

  init(isRequest: Bool) { self.isRequest = isRequest }

  func deletes(_ object: ObjectName) -> Bool {
    changes.contains { $0.type == .delete && $0.object == object }
  }
}
