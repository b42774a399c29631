import HistoryStore
import HistoryTypes
import ObjectContexts
import Traces

extension PlanProcess {
  /// Adds the contexts and the staged write.
  func describe(_ state: inout StateSketch, _ objects: PlanObjects) {
    for context in contexts { state.add(rows(of: context, objects)) }
    if let staged {
      state.add(staged)
      state.add(time: begunAt?.timeIntervalSinceReferenceDate ?? 0)
    }
  }

  /// Returns the objects of the context with a name, by the plan's names.
  func objects(of name: String, _ objects: PlanObjects) throws(SystemFailure) -> Objects {
    guard let context = contexts.first(where: { $0.name == name }) else {
      throw SystemFailure(.failed, "\(actor.id) has no context \"\(name)\".")
    }
    return Objects(rows(of: context, objects))
  }

  /// Returns the rows of a context, by the plan's names.
  ///
  /// A stale context may hold an object together with the one that replaced it under the same name:
  /// the newest gets the name, and the others its negative.
  private func rows(of context: ObjectContext, _ objects: PlanObjects) -> [NamedRow] {
    var held: [NamedRow] = []
    var replaced: [(id: ObjectID, row: NamedRow)] = []
    context.forEachRegistered { id, values in
      guard let entity = store.model.entity(id.entity) else { return }
      let name = objects.name(id, in: store.model)
      let row = NamedRow(name: name, entity: entity, values: values)
      if objects.id(name) == id { held.append(row) } else { replaced.append((id, row)) }
    }
    for (_, row) in replaced.sorted(by: { $0.id > $1.id }) {
      held.append(row.named(row.name.free(in: held)))
    }
    return held
  }
}

extension ObjectName {
  /// Returns the name, or a negative key, which no plan uses, if other rows have it.
  fileprivate func free(in held: [NamedRow]) -> ObjectName {
    var name = self
    while held.contains(where: { $0.name == name }) {
      name = ObjectName(entity, name.key > 0 ? -key : name.key - 1000)
    }
    return name
  }
}
