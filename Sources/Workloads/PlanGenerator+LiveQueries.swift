import HistoryTypes
import PropertyTesting
import Traces

extension PlanGenerator {
  /// Draws whether a plan has live queries, and inserts the commands that start them.
  ///
  /// Live queries are drawn last, so that they do not change the rest of the plan of a seed. Most
  /// start in the first half of the plan, because they do not report changes before their start.
  func addLiveQueries(to plan: inout Plan, _ source: inout ChoiceSource) {
    guard style.hasQueries, style.past == nil, !plan.header.hasOlderModel,
      source.bool(probability: 0.2, label: "live queries")
    else { return }
    let actors = plan.header.actors.filter { plan.hasKnownReads(of: $0) }
    let entities = plan.header.model.entities.compactMap(\.withoutReferences)
    guard !actors.isEmpty, !entities.isEmpty else { return }
    var repetition = Repetition("live query", 1...Self.liveQueryCountMax, length: .average(2))
    while repetition.next(&source) {
      let actor = actors[source.index(below: actors.count)].id
      let watch = watch(by: actor, entities[source.index(below: entities.count)], &source)
      let position = source.index(below: plan.commands.count / 2 + 1)
      plan.commands.insert(Command(.watch(watch)), at: position)
    }
  }

  private static let liveQueryCountMax = 4

  private func watch(
    by actor: ActorID,
    _ entity: Entity,
    _ source: inout ChoiceSource
  ) -> PlannedWatch {
    var watch = PlannedWatch(actor: actor, entity: entity.name)
    // Small limits, so that objects move in and out of the result.
    watch.limit = [1, 2, 3, nil][source.weighted([3, 4, 4, 1])]
    for _ in 0...source.index(below: 2) {
      let attribute = entity.attributes[source.index(below: entity.attributes.count)].name
      guard !watch.orders.contains(where: { $0.attribute == attribute }) else { continue }
      let isAscending = source.bool(probability: 0.5)
      watch.orders.append(PlannedOrder(attribute, isAscending: isAscending))
    }
    if source.bool(probability: 0.4) { watch.conditions = PlanPredicates.draw(on: entity, &source) }
    return watch
  }
}

extension Plan {
  /// Returns whether an actor may have live queries.
  ///
  /// A live query loads objects into the actor's view (its main context), even objects that are not
  /// in the query's result. The loaded objects affect only saves with a merge policy other than the
  /// default. If the plan has such saves, an actor may have live queries only if its view contains
  /// all objects and merges all transactions.
  fileprivate func hasKnownReads(of actor: PlannedActor) -> Bool {
    let hasPolicies = commands.contains { command in
      switch command.action {
      case .write(let write), .begin(let write): write.policy != .objectWins
      default: false
      }
    }
    let hasMergeHooks = actor.hooks?.contains { $0 != PlannedHook.observer.rawValue } ?? false
    return !hasPolicies || !actor.isPartial && (actor.ignores ?? []).isEmpty && !hasMergeHooks
  }
}

extension Entity {
  /// A copy of the entity without its references; `nil` if all attributes are references.
  ///
  /// A plan does not know the keys by which a store compares references.
  fileprivate var withoutReferences: Entity? {
    let plain = attributes.filter { $0.reference == nil }
    return plain.isEmpty ? nil : Entity(name, plain)
  }
}
