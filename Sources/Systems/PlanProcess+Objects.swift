import HistoryStore
import HistoryTypes
import ObjectContexts
import Traces

extension PlanProcess {
  /// Adds the contexts and the staged write to a sketch of the system's state.
  func describe(_ state: inout StateSketch, _ objects: PlanObjects) {
    for context in contexts { state.add(rows(of: context, objects)) }
    if let staged {
      state.add(staged)
      state.add(time: begunAt?.timeIntervalSinceReferenceDate ?? 0)
    }
  }

  /// Returns the objects of the named context, by the plan's names.
  func objects(of name: String, _ objects: PlanObjects) throws(SystemFailure) -> Objects {
    guard let context = contexts.first(where: { $0.name == name }) else {
      throw SystemFailure(.failed, "\(actor.id) has no context \"\(name)\".")
    }
    return Objects(rows(of: context, objects))
  }

  /// Returns the rows of a context, by the plan's names.
  ///
  /// A stale context may hold both an object and its replacement with the same name. Then the newest
  /// object gets the name, and the older ones get negated keys.
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
  /// Returns the name; if other rows have this name, returns a negative key, which no plan uses.
  fileprivate func free(in held: [NamedRow]) -> ObjectName {
    var name = self
    while held.contains(where: { $0.name == name }) {
      name = ObjectName(entity, name.key > 0 ? -key : name.key - 1000)
    }
    return name
  }
}

extension ObjectPredicate {
  /// Converts a plan's condition.
  init(_ planned: PlannedCondition) {
    self =
      switch planned {
      case .compare(let name, let comparison, let value):
        .compare(name, Comparison(comparison), value)
      case .among(let name, let values): .in(name, values)
      case .between(let name, let low, let high): .between(name, low, high)
      case .like(let name, let pattern): .like(name, pattern)
      case .all(let parts): .all(parts.map(Self.init))
      case .any(let parts): .any(parts.map(Self.init))
      case .not(let part): .not(Self(part))
      }
  }
}

extension Comparison {
  /// Converts a plan's comparison.
  init(_ planned: PlannedComparison) {
    self =
      switch planned {
      case .equal: .equal
      case .notEqual: .notEqual
      case .less: .less
      case .lessOrEqual: .lessOrEqual
      case .greater: .greater
      case .greaterOrEqual: .greaterOrEqual
      }
  }
}

extension MergePolicy {
  /// Converts a plan's merge policy.
  init(_ planned: PlannedPolicy) {
    self =
      switch planned {
      case .objectWins: .objectWins
      case .error: .error
      case .storeWins: .storeWins
      case .overwrite: .overwrite
      case .rollback: .rollback
      }
  }
}

/// A row of the data or of a context, with the plan's name of the row's object.
struct NamedRow {
  private(set) var name: ObjectName
  let entity: Entity
  let values: ArraySlice<Value>

  /// Returns the same row under another name.
  func named(_ name: ObjectName) -> NamedRow {
    var row = self
    row.name = name
    return row
  }
}

extension Objects {
  /// Creates a dictionary of rows by the plan's name; each row omits null values.
  init(_ rows: [NamedRow]) {
    self.init(minimumCapacity: rows.count)
    for row in rows { self[row.name] = row.entity.values(row.values) }
  }
}

extension StateSketch {
  /// Adds rows to the state in the order of their names, with attributes in the model's order.
  mutating func add(_ rows: [NamedRow]) {
    add(rows.count)
    for row in rows.sorted(by: { $0.name < $1.name }) {
      add(row.name)
      for (index, value) in row.values.enumerated() where value != .null {
        add(index)
        add(value)
      }
    }
  }
}

extension Entity {
  /// Returns a row's values by attribute name, without null values.
  func values(_ row: ArraySlice<Value>) -> Values {
    var values: Values = [:]
    for (attribute, value) in zip(attributes, row) where value != .null {
      values[attribute.name] = value
    }
    return values
  }
}
