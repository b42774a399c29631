import HistoryTypes
import PropertyTesting
import Traces

extension PlanGenerator {
  /// Draws whether a plan has writes of many objects, and inserts them between its commands.
  ///
  /// `commands` are drawn before these writes, so that a seed gives the same `commands` with and
  /// without them. All values of the writes are copies of a few drawn values, which makes shrinking
  /// faster.
  func addCrowd(
    to commands: inout [Command],
    _ draft: PlanDraft,
    _ source: inout ChoiceSource
  ) {
    guard style.hasQueries, source.bool(probability: 0.03, label: "crowd") else { return }
    let entities = draft.header.model.entities
    let entity = entities[source.index(below: entities.count)]
    let count = [20, 70, 150, 300][source.index(below: 4)]
    var position = source.index(below: commands.count + 1)
    func add(_ type: ChangeType, every step: Int, _ source: inout ChoiceSource) {
      let actor = draft.header.actors[source.index(below: draft.header.actors.count)]
      let drawn = (0..<3).map { _ in
        crowdValues(of: entity, type, isLong: count <= 20, &source)
      }
      let first = Self.crowdKey + (step > 1 ? Int64(source.index(below: step)) : 0)
      var keys = Array(stride(from: first, to: Self.crowdKey + Int64(count), by: step))
      // A store treats descending keys differently, so both orders are drawn.
      if source.bool(probability: 0.3) { keys.reverse() }
      let write = PlannedWrite(
        actor: actor.id,
        context: ["view", "background", "batch"][source.index(below: 3)],
        changes: keys.enumerated().map { place, key in
          PlannedChange(type, ObjectName(entity.name, key), drawn[place % drawn.count])
        }
      )
      commands.insert(Command(.write(write)), at: position)
      position += 1 + source.index(below: commands.count - position)
    }
    add(.insert, every: 1, &source)
    var further = Repetition("crowd", 0...4, length: .average(2))
    while further.next(&source) {
      let type: ChangeType = source.bool(probability: 0.5) ? .update : .delete
      add(type, every: 1 + source.index(below: 3), &source)
    }
  }

  /// The least key of the objects in writes of many objects; other commands use lower keys.
  private static let crowdKey: Int64 = 1001

  private func crowdValues(
    of entity: Entity,
    _ type: ChangeType,
    isLong: Bool,
    _ source: inout ChoiceSource
  ) -> Values {
    guard type != .delete else { return [:] }
    var values =
      type == .insert
      ? PlanModels.values(of: entity, &source) : PlanModels.someValues(of: entity, &source)
    guard isLong, source.bool(probability: 0.5) else { return values }
    for attribute in entity.attributes.prefix(8) {
      values[attribute.name] = PlanModels.extreme(attribute.type, &source)
    }
    return values
  }
}

extension PlanGenerator {
  /// Draws whether a plan has saves of similar changes, and inserts them between its commands.
  ///
  /// A store writes four or more consecutive inserts, or similar updates, of one entity with one
  /// statement. Most of the saves consist of such changes. The other saves change or delete one of
  /// the same objects, so that a conflict can occur at any change of a save. `commands` are drawn
  /// before these saves, so that a seed gives the same `commands` with and without the saves.
  func addSimilarSaves(
    to commands: inout [Command],
    _ header: PlanHeader,
    _ active: Set<Condition>,
    _ source: inout ChoiceSource
  ) {
    guard style.hasQueries, source.bool(probability: 0.15, label: "similar saves") else { return }
    let entities = header.olderModel.entities.filter { entity in
      entity.attributes.allSatisfy { $0.isOptional || $0.reference == nil }
    }
    guard !entities.isEmpty else { return }
    let entity = entities[source.index(below: entities.count)]
    let count = source.int(in: 4...9)
    var position = source.index(below: commands.count + 1)
    func add(_ type: ChangeType, isSingle: Bool = false, _ source: inout ChoiceSource) {
      let first = isSingle || source.bool(probability: 0.3) ? source.index(below: count) : 0
      let step = source.bool(probability: 0.2) ? 2 : 1
      let places = isSingle ? [first] : Array(stride(from: first, to: count, by: step))
      let keys = places.map { Self.similarKey + Int64($0) }
      let save = similarSave(type, entity, keys, header, active, &source)
      commands.insert(Command(.write(save)), at: position)
      position += 1 + source.index(below: commands.count - position)
    }
    add(.insert, &source)
    var further = Repetition("similar save", 0...8, length: .average(4))
    while further.next(&source) {
      switch source.weighted([5, 3, 2, 1], label: "similar save") {
      case 0: add(.update, &source)
      case 1: add(.update, isSingle: true, &source)
      case 2: add(.insert, &source)
      default: add(.delete, isSingle: true, &source)
      }
    }
  }

  /// Draws a save of changes that set the same attributes of an entity's objects.
  ///
  /// In some saves of updates, one object's update sets other attributes than those of the others.
  private func similarSave(
    _ type: ChangeType,
    _ entity: Entity,
    _ keys: [Int64],
    _ header: PlanHeader,
    _ active: Set<Condition>,
    _ source: inout ChoiceSource
  ) -> PlannedWrite {
    let actor = header.actors[source.index(below: header.actors.count)]
    let context = source.bool(probability: 0.3) ? "background" : "view"
    let policy =
      header.hasRelations
      ? relatedPolicy(&source, context, active)
      : style.hasPolicies && context == "view"
        ? PlannedPolicy.allCases[source.weighted([8, 3, 4, 3, 2], label: "policy")] : .objectWins
    let settable = entity.attributes.filter { $0.reference == nil }
    var attributes = type == .delete ? [] : settable
    if type == .update {
      let first = source.index(below: settable.count)
      let width = source.bool(probability: 0.3) ? 2 : 1
      attributes = (0..<min(width, settable.count)).map { settable[(first + $0) % settable.count] }
    }
    let other = otherUpdate(type, attributes, settable, keys, &source)
    let isLong = source.bool(probability: 0.2)
    return PlannedWrite(
      actor: actor.id,
      context: context,
      changes: keys.map { key in
        var values: Values = [:]
        for attribute in key == other?.key ? other?.attributes ?? [] : attributes {
          values[attribute.name] = similarValue(of: attribute, entity, key, isLong, &source)
        }
        return PlannedChange(type, ObjectName(entity.name, key), values)
      },
      policy: policy
    )
  }

  /// Draws whether one update of a save sets a different set of attributes than the other updates.
  ///
  /// The number of attributes is the same, but a store needs another SQL statement for this update.
  /// Returns the key of the updated object and the attributes; `nil` if there is no such update.
  private func otherUpdate(
    _ type: ChangeType,
    _ attributes: [Attribute],
    _ settable: [Attribute],
    _ keys: [Int64],
    _ source: inout ChoiceSource
  ) -> (key: Int64, attributes: [Attribute])? {
    guard type == .update, keys.count > 1, settable.count > attributes.count,
      source.bool(probability: 0.3, label: "other attributes"),
      let first = settable.firstIndex(where: { $0.name == attributes.first?.name })
    else { return nil }
    let key = keys[source.index(below: keys.count)]
    return (key, attributes.indices.map { settable[(first + 1 + $0) % settable.count] })
  }

  /// Draws a value for an attribute.
  ///
  /// The value of a unique attribute mostly differs from those of all other objects. The value of any
  /// other attribute is null in a few cases, if the attribute is optional.
  private func similarValue(
    of attribute: Attribute,
    _ entity: Entity,
    _ key: Int64,
    _ isLong: Bool,
    _ source: inout ChoiceSource
  ) -> Value {
    guard entity.uniquenessConstraints.joined().contains(attribute.name) else {
      if attribute.isOptional, source.bool(probability: 0.15, label: "null") { return .null }
      return isLong
        ? PlanModels.extreme(attribute.type, &source)
        : PlanModels.value(of: attribute.type, &source)
    }
    return .string(
      source.bool(probability: 0.9) ? "s\(key)" : ["a", "b", "c", "d"][source.index(below: 4)]
    )
  }

  /// The least key of the objects that ``addSimilarSaves(to:_:_:_:)`` inserts, updates and deletes.
  private static let similarKey: Int64 = 501
}
