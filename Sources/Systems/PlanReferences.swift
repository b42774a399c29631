import HistoryStore
import HistoryTypes
import Traces

/// The references of a model, to convert object keys between the plan and the store.
struct PlanReferences {
  private struct Column {
    let index: Int
    let name: String
    let entity: String
    let number: Int32
  }

  private var columns: [String: [Column]] = [:]
  /// Whether no entity has references.
  var isEmpty: Bool { columns.isEmpty }

  init(_ model: Model) {
    for entity in model.entities {
      for (index, attribute) in entity.attributes.enumerated() {
        guard let name = attribute.reference?.entity, let number = model.number(of: name) else {
          continue
        }
        let column = Column(index: index, name: attribute.name, entity: name, number: number)
        columns[entity.name, default: []].append(column)
      }
    }
  }

  // MARK: To the store

  /// Returns the reference attributes among the values, each with the object that it refers to.
  func destinations(_ values: Values, of entity: String) -> [(attribute: String, ObjectName)] {
    (columns[entity] ?? []).compactMap { column in
      values[column.name]?.int.map { (column.name, ObjectName(column.entity, $0)) }
    }
  }

  /// Returns values in which references have the store's keys instead of the plan's keys.
  ///
  /// A reference to an object that was never inserted gets a key that no object has.
  func stored(
    _ values: Values,
    of entity: String,
    _ id: (ObjectName) -> ObjectID?
  ) -> Values {
    var stored = values
    for (attribute, name) in destinations(values, of: entity) {
      stored[attribute] = .int(id(name)?.key ?? -name.key)
    }
    return stored
  }

  /// Returns a condition in which references have the store's keys instead of the plan's keys.
  ///
  /// Only tests for equality or inequality, and tests against a list of values, are converted.
  func stored(
    _ condition: PlannedCondition,
    of entity: String,
    _ id: (ObjectName) -> ObjectID?
  ) -> PlannedCondition {
    func converted(_ value: Value, _ attribute: String) -> Value {
      stored([attribute: value], of: entity, id)[attribute] ?? value
    }
    return switch condition {
    case .compare(let attribute, let comparison, let value)
    where comparison == .equal || comparison == .notEqual:
      .compare(attribute, comparison, converted(value, attribute))
    case .among(let attribute, let values):
      .among(attribute, values.map { converted($0, attribute) })
    case .all(let parts): .all(parts.map { stored($0, of: entity, id) })
    case .any(let parts): .any(parts.map { stored($0, of: entity, id) })
    case .not(let part): .not(stored(part, of: entity, id))
    case .compare, .between, .like: condition
    }
  }

  // MARK: To the plan

  /// Returns a row in which references have the plan's keys instead of the store's keys.
  ///
  /// A later object can take over an object's name in the plan. References to the earlier object then
  /// get a negative key, which no plan uses.
  func planned(
    _ row: ArraySlice<Value>,
    of entity: Entity,
    _ objects: PlanObjects,
    in model: Model
  ) -> ArraySlice<Value> {
    guard let columns = columns[entity.name] else { return row }
    var planned = Array(row)
    for column in columns where planned.indices.contains(column.index) {
      guard let key = planned[column.index].int else { continue }
      let id = ObjectID(entity: column.number, key: key)
      let name = objects.name(id, in: model)
      planned[column.index] = .int(objects.id(name) == id ? name.key : -abs(name.key))
    }
    return planned[...]
  }

  /// Returns a tombstone in which references have the plan's keys instead of the store's keys.
  func planned(
    _ tombstone: Values,
    of entity: String,
    _ objects: PlanObjects,
    in model: Model
  ) -> Values {
    var planned = tombstone
    for column in columns[entity] ?? [] {
      guard let key = planned[column.name]?.int else { continue }
      let id = ObjectID(entity: column.number, key: key)
      planned[column.name] = .int(objects.name(id, in: model).key)
    }
    return planned
  }
}

extension PlanObjects {
  /// Returns a change from history, with objects named as in the plan.
  func committed(
    _ change: HistoryChange,
    _ references: PlanReferences,
    in model: Model
  ) -> CommittedChange {
    let name = name(change.objectID, in: model)
    let tombstone = references.planned(change.tombstone ?? [:], of: name.entity, self, in: model)
    return CommittedChange(
      change.type,
      name,
      columns: change.updatedProperties,
      tombstone: change.type == .delete ? tombstone : nil
    )
  }
}

extension PlanProcess {
  /// Returns the changes that history contains for a write.
  ///
  /// These include changes of objects that the write does not name, such as those of delete rules.
  func changes(
    of written: WrittenTransaction?,
    _ objects: PlanObjects
  ) throws(HistoryError) -> [CommittedChange] {
    guard let written else { return [] }
    let filter = HistoryFilter.numbers(written.number...written.number)
    let page = try store.fetch(HistoryRequest(after: nil, filter: filter))
    return page.transactions.flatMap(\.changes)
      .map { objects.committed($0, references, in: page.model) }
      .sorted { $0.object < $1.object }
  }
}
