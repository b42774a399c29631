package import HistoryStore
import HistoryTypes
import ObjectContexts
package import Traces

/// The mapping between a plan's object names and the store's object identifiers.
///
/// Only the lab uses this mapping. It is not part of a simulated process's memory, so crashes do
/// not affect it.
struct PlanObjects {
  private var ids: [ObjectName: ObjectID] = [:]
  private var names: [ObjectID: ObjectName] = [:]
  /// The objects that the plan's names will denote if the write in progress commits.
  private var attempted: [ObjectName: ObjectID] = [:]
  /// The names of objects that a batch request in progress inserts, in the order of their keys.
  private var awaitingKeys: [ObjectName] = []

  /// Maps a name to an object.
  mutating func enter(_ name: ObjectName, _ id: ObjectID) {
    ids[name] = id
    names[id] = name
  }

  /// Records the objects that the plan's names will denote if the write that starts now commits.
  mutating func attempt(_ inserted: [ObjectName: ObjectID], awaitingKeys names: [ObjectName] = []) {
    attempted = inserted
    awaitingKeys = names
  }

  /// Reconciles the names with the store after a write whose outcome was unknown.
  ///
  /// Keeps only objects that are in the data or in history. The objects that the write inserted get the
  /// names that the plan gave them.
  mutating func reconcile(present: Set<ObjectID>, reported: Set<ObjectID>, inserted: [ObjectID]) {
    names = names.filter { present.contains($0.key) || reported.contains($0.key) }
    ids = ids.filter { names[$0.value] != nil }
    // After a rollback, an object is in the data again whose name another object may have taken.
    for id in present {
      if let name = names[id] { ids[name] = id }
    }
    let byID = Dictionary(attempted.map { ($1, $0) }) { first, _ in first }
    var waiting = awaitingKeys.makeIterator()
    for id in inserted {
      if let name = byID[id] ?? waiting.next() { enter(name, id) }
    }
    attempt([:])
  }

  /// Returns the object that a name denotes, whether or not it still exists.
  func id(_ name: ObjectName) -> ObjectID? { ids[name] }

  /// Returns all objects that a name has denoted, one after another.
  ///
  /// - Complexity: linear in the objects of the plan.
  func ids(_ name: ObjectName) -> [ObjectID] { names.filter { $0.value == name }.keys.sorted() }

  /// Returns the plan's name of an object; an object without a name gets its negated key.
  func name(_ id: ObjectID, in model: Model) -> ObjectName {
    names[id] ?? ObjectName(model.entity(id.entity)?.name ?? "?", -id.key)
  }
}

extension SystemFailure {
  /// Converts a store's error into a plan's failure.
  package init(_ error: HistoryError) {
    let code: Code =
      switch error.code {
      case _ where error.isBusy: .busy
      case _ where error.isFull: .full
      case _ where error.isInputOutput: .io
      case .conflict: .conflict
      case .deleteDenied: .denied
      case .danglingReference: .dangling
      case .duplicate: .duplicate
      case .missingValue: .missing
      case .expired, .lost: .expired
      case .rewound, .otherStore: .rewound
      case .superseded: .superseded
      case .inUse: .inUse
      case .suspended: .suspended
      default: .failed
      }
    self.init(code, error.description)
  }
}

/// Runs a closure, and converts a store's error into a plan's failure.
func mappingErrors<Result>(
  _ body: () throws(HistoryError) -> Result
) throws(SystemFailure) -> Result {
  do { return try body() } catch { throw SystemFailure(error) }
}

extension PlanProcess {
  /// Adds the contexts and the staged write to a sketch of the system's state.
  func describe(_ state: inout StateSketch, _ objects: PlanObjects) {
    for context in contexts {
      state.add(rows(of: context, objects))
      if !context.holdsAllObjects { state.add(-1) }
    }
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
      let values = references.planned(values, of: entity, objects, in: store.model)
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
  /// Returns this name if it is free; otherwise a name with a negative key, which no plan uses.
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
  /// Creates objects by the plan's names from rows; null values are left out.
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
        if let reference = row.entity.attributes[index].reference, let key = value.int {
          add(ObjectName(reference.entity, key))
        } else {
          add(value)
        }
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
