import HistoryStore
import HistoryTypes
import Traces

/// The changes of a batch request that selects objects by key.
///
/// All changes have the same entity, the same type and the same attributes.
struct KeyedBatch {
  let entity: String
  let type: ChangeType
  /// The attributes that an update sets.
  let attributes: [String]
  let changes: [PlannedChange]

  /// Creates a batch request from planned changes; `nil` if one request cannot make all of them.
  init?(_ planned: [PlannedChange]) {
    guard planned.isUniform, let first = planned.first else { return nil }
    (entity, type) = (first.object.entity, first.type)
    attributes = first.values.keys.sorted()
    changes = planned
  }
}

extension PlanProcess {
  /// Updates or deletes objects by key in one batch request; keys without an object are skipped.
  func changeByKey(
    _ batch: KeyedBatch,
    by author: String?,
    _ objects: PlanObjects,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let by = BatchAuthor(author, contextName: batchContextName)
    let result = try mappingErrors { () throws(HistoryError) in
      batch.type == .update
        ? try update(batch, by, objects) : try delete(batch, by, objects)
    }
    guard !store.model.hasRelations else {
      return try reportRelated(result.transaction, author, objects, &log)
    }
    let values = Dictionary(batch.changes.map { ($0.object, $0.values) }) { $1 }
    let names = result.objectIDs.map { objects.name($0, in: store.model) }.sorted()
    let changes = names.map { name in
      Self.change(batch.type, name, batch.type == .update ? values[name] ?? [:] : [:])
    }
    report(result.transaction, author, "batch", changes, &log)
  }

  private func update(
    _ batch: KeyedBatch,
    _ by: BatchAuthor,
    _ objects: PlanObjects
  ) throws(HistoryError) -> BatchResult {
    let entity = store.model.number(of: batch.entity).flatMap(store.model.entity)
    var rest = batch.changes[...]
    return try store.batchUpdate(
      batch.entity,
      setting: batch.attributes,
      by: by,
      result: .objectIDs
    ) { row in
      while let change = rest.popFirst() {
        guard let id = objects.id(change.object) else { continue }
        let values = self.references.stored(change.values, of: batch.entity, objects.id)
        for (name, value) in values {
          guard let index = entity?.index(of: name) else {
            throw HistoryError.unknownAttribute(name, of: batch.entity, known: [])
          }
          row.set(value, at: index)
        }
        return id
      }
      return nil
    }
  }

  private func delete(
    _ batch: KeyedBatch,
    _ by: BatchAuthor,
    _ objects: PlanObjects
  ) throws(HistoryError) -> BatchResult {
    var rest = batch.changes[...]
    return try store.batchDelete(batch.entity, by: by, result: .objectIDs) {
      while let change = rest.popFirst() {
        if let id = objects.id(change.object) { return id }
      }
      return nil
    }
  }
}
