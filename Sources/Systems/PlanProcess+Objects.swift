import HistoryStore
import ObjectContexts
import PersistentHistory
import Traces

extension PlanProcess {
  /// Adds the view and the write that has begun.
  func describe(_ state: inout StateSketch, _ objects: PlanObjects) {
    for context in contexts { state.add(self.objects(of: context, objects)) }
    if let staged {
      state.add(staged)
      state.add(time: begunAt?.timeIntervalSinceReferenceDate ?? 0)
    }
  }

  /// What the context with a name holds, by the plan's names.
  func objects(of name: String, _ objects: PlanObjects) throws(SystemFailure) -> Objects {
    guard let context = contexts.first(where: { $0.name == name }) else {
      throw SystemFailure(.failed, "\(actor.id) has no context \"\(name)\".")
    }
    return self.objects(of: context, objects)
  }

  /// What a context holds, by the plan's names.
  ///
  /// A context that is behind may hold an object beside the one that replaced it, under one name: the
  /// newest takes the name, and the others its negative.
  private func objects(of context: ObjectContext, _ objects: PlanObjects) -> Objects {
    var held: Objects = [:]
    var replaced: [(id: ObjectID, values: Values)] = []
    context.forEachRegistered { id, row in
      guard let entity = store.model.entity(id.entity) else { return }
      let name = objects.name(id, in: store.model)
      if objects.id(name) == id {
        held[name] = entity.values(row)
      } else {
        replaced.append((id, entity.values(row)))
      }
    }
    for (id, values) in replaced.sorted(by: { $0.id > $1.id }) {
      held[objects.name(id, in: store.model).free(in: held)] = values
    }
    return held
  }
}

extension Entity {
  /// A row by attribute name, without what is null.
  func values(_ row: ArraySlice<Value>) -> Values {
    var values: Values = [:]
    for (attribute, value) in zip(attributes, row) where value != .null {
      values[attribute.name] = value
    }
    return values
  }
}

extension ObjectName {
  /// The name, or one below zero, which no plan uses, where others hold it.
  fileprivate func free(in held: Objects) -> ObjectName {
    var name = self
    while held[name] != nil { name = ObjectName(entity, name.key > 0 ? -key : name.key - 1000) }
    return name
  }
}
