import HistoryTypes
import PropertyTesting
import Traces

extension PlanGenerator {
  /// Draws whether a plan has writes of many objects, and inserts them between its commands.
  ///
  /// They are drawn after the other commands, so that those of a seed stay the same without them.
  /// Their values repeat a few drawn ones, so that they take few choices.
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
      // Keys that do not rise are handled in another way.
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

  /// The least key of such objects: other commands change lesser ones.
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
