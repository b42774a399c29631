package import HistoryStore
import HistoryTypes
import ObjectContexts
package import Traces

/// The mapping between the object names in a plan and the object identifiers in the store.
///
/// The lab keeps this mapping outside of the simulated processes, so crashes do not affect it.
struct PlanObjects {
  private var ids: [ObjectName: ObjectID] = [:]
  private var names: [ObjectID: ObjectName] = [:]
  /// The names and identifiers of the objects that the write in progress inserts.
  private var attempted: [ObjectName: ObjectID] = [:]
  /// The names of the objects that a batch request in progress inserts.
  ///
  /// The order is that of the keys that the store will assign.
  private var awaitingKeys: [ObjectName] = []

  /// Maps a name of the plan to an object of the store.
  mutating func enter(_ name: ObjectName, _ id: ObjectID) {
    ids[name] = id
    names[id] = name
  }

  /// Remembers the names of the objects that a write will insert.
  ///
  /// If the write's outcome is unknown, `reconcile` maps these names to the objects in the store.
  mutating func attempt(_ inserted: [ObjectName: ObjectID], awaitingKeys names: [ObjectName] = []) {
    attempted = inserted
    awaitingKeys = names
  }

  /// Corrects the names of objects after a write of unknown outcome, from the content of the store.
  ///
  /// Removes objects that are neither in the data (`present`) nor in history (`reported`). Gives
  /// the objects in `inserted` the names that the plan gave them.
  mutating func reconcile(present: Set<ObjectID>, reported: Set<ObjectID>, inserted: [ObjectID]) {
    names = names.filter { present.contains($0.key) || reported.contains($0.key) }
    ids = ids.filter { names[$0.value] != nil }
    // A rollback may restore an object whose name another object took. The name must then denote
    // the restored object again.
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

  /// Returns all objects that the name denotes or denoted before, in the order of their identifiers.
  ///
  /// - Complexity: linear in the objects of the plan.
  func ids(_ name: ObjectName) -> [ObjectID] { names.filter { $0.value == name }.keys.sorted() }

  /// Returns the plan's name of an object.
  ///
  /// If the plan has no name for the object, the name contains the object's key, negated.
  func name(_ id: ObjectID, in model: Model) -> ObjectName {
    names[id] ?? ObjectName(model.entity(id.entity)?.name ?? "?", -id.key)
  }
}

extension SystemFailure {
  /// Converts a store's error into the failure that a plan's command reports.
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

/// Runs a closure, and converts an error of the store into the failure of a plan's command.
func mappingErrors<Result>(
  _ body: () throws(HistoryError) -> Result
) throws(SystemFailure) -> Result {
  do { return try body() } catch { throw SystemFailure(error) }
}

extension PlanProcess {
  /// Adds to `state` the contexts of this process, and its write that has begun but not committed.
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

  /// Returns the objects in the context that is called `name`, under the objects' names in the plan.
  func objects(of name: String, _ objects: PlanObjects) throws(SystemFailure) -> Objects {
    guard let context = contexts.first(where: { $0.name == name }) else {
      throw SystemFailure(.failed, "\(actor.id) has no context \"\(name)\".")
    }
    return Objects(rows(of: context, objects))
  }

  /// Returns the objects in a context as rows, under their names in the plan.
  ///
  /// A context that has missed a merge may contain both an object and its replacement of the same
  /// name. Then the newest object gets the name, and each older one a name with a negative key.
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
  /// Returns a name that no row in `held` has.
  ///
  /// The result is `self` if no row has this name. Otherwise the result has a negative key, which
  /// no plan uses.
  fileprivate func free(in held: [NamedRow]) -> ObjectName {
    var name = self
    while held.contains(where: { $0.name == name }) {
      name = ObjectName(entity, name.key > 0 ? -key : name.key - 1000)
    }
    return name
  }
}

extension ObjectPredicate {
  /// Creates the predicate that expresses a plan's condition.
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
  /// Creates the comparison of predicates that corresponds to a plan's comparison.
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

extension PlannedWrite {
  /// Whether a closure resolves the save's conflicts, with the same decisions as the merge policy.
  ///
  /// The value is `true` if the policy is not `error` and the first changed object has an even key.
  /// So some saves of a plan use a closure, and others use the policy.
  var usesClosure: Bool {
    policy != .error && changes.first?.object.key.isMultiple(of: 2) == true
  }
}

extension MergePolicy {
  /// Returns the decision of this policy about a conflict.
  ///
  /// The policy `error` makes no decision; for it, the result is `keepEdited`.
  func resolution(of conflict: SaveConflict) -> ConflictResolution {
    switch self {
    case .error, .objectWins: return .keepEdited
    case .overwrite:
      // An updated object that has a duplicate writes only its edits, and the duplicate is deleted.
      // In other conflicts, the whole edited object is written, or its delete is kept.
      let isUpdate = conflict.duplicate != nil && conflict.original != nil
      return isUpdate ? .keepEdited : conflict.edited.map { .write($0) } ?? .keepEdited
    case .rollback: return conflict.setAttributes.isEmpty ? .keepStored : .write([:])
    case .storeWins:
      guard conflict.duplicate == nil, let edited = conflict.edited,
        let original = conflict.original
      else { return .keepStored }
      let kept = conflict.setAttributes.filter { conflict.stored[$0] == original[$0] }
      return .write(edited.filter { kept.contains($0.key) })
    }
  }

  /// Creates the merge policy that corresponds to a plan's policy.
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

/// A row of the store's data or of a context, with its object's name in the plan.
struct NamedRow {
  private(set) var name: ObjectName
  let entity: Entity
  let values: ArraySlice<Value>

  /// Returns the same row with another object name.
  func named(_ name: ObjectName) -> NamedRow {
    var row = self
    row.name = name
    return row
  }
}

extension Objects {
  /// Creates a dictionary from the objects' names in the plan to the rows' values, without nulls.
  init(_ rows: [NamedRow]) {
    self.init(minimumCapacity: rows.count)
    for row in rows { self[row.name] = row.entity.values(row.values) }
  }
}

extension StateSketch {
  /// Adds rows to the state, sorted by name, with the attributes in the order of the model.
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
