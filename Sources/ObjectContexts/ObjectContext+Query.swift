public import HistoryStore
public import HistoryTypes

extension ObjectContext {
  /// Returns the sorted objects of an entity that match a predicate, up to a limit.
  ///
  /// Edited objects are matched and sorted by their edited values: unsaved inserts may match,
  /// deleted objects do not. All other objects are matched by the store in its current state, and
  /// the context registers the returned rows. Without sort orders, the objects are in key order.
  ///
  /// Core Data: `NSManagedObjectContext.fetch(_:)` with pending changes included.
  ///
  /// - Throws: ``HistoryError`` if a name, a value or the predicate is invalid, or SQLite fails.
  /// - Complexity: a scan of the entity. While the entity has unsaved edits, all matching rows are
  ///   read regardless of the limit.
  public func objects(
    _ entity: String,
    where predicate: ObjectPredicate? = nil,
    sortedBy orders: [ObjectOrder] = [],
    limit: Int? = nil,
    offset: Int = 0
  ) throws(HistoryError) -> [StoredObject] {
    guard let number = store.model.number(of: entity) else {
      throw .unknownEntity(entity, in: store.model)
    }
    let query = try ObjectQuery(predicate, sortedBy: orders, limit: limit, offset: offset)
    let keys = try state.withLock { state throws(HistoryError) in
      state.order.contains { $0.entity == number }
        ? try edited(number, query, &state) : try stored(number, query, &state)
    }
    return keys.map { StoredObject(context: self, id: ObjectID(entity: number, key: $0)) }
  }

  private func stored(
    _ number: Int32,
    _ query: ObjectQuery,
    _ state: inout ContextState
  ) throws(HistoryError) -> [Int64] {
    let batch = try store.rows(number, query)
    state[table: number].put(batch)
    return batch.keys
  }

  private func edited(
    _ number: Int32,
    _ query: ObjectQuery,
    _ state: inout ContextState
  ) throws(HistoryError) -> [Int64] {
    guard let entity = store.model.entity(number) else { return [] }
    // The store validates the names and values of the whole query, even with pending edits.
    let all = ObjectQuery(query.predicate, sortedBy: query.orders)
    let batch = try store.rows(number, all)
    var found: [(key: Int64, row: ArraySlice<Value>)] = []
    var versions: [Int64: Int64] = [:]
    for (index, key) in batch.keys.enumerated() {
      guard state.edits[ObjectID(entity: number, key: key)] == nil else { continue }
      found.append((key, batch.values[index * batch.width..<(index + 1) * batch.width]))
      versions[key] = batch.versions[index]
    }
    for id in state.order where id.entity == number {
      guard let row = state.row(of: id) else { continue }
      if try query.predicate?.matches(row, of: entity) ?? true { found.append((id.key, row)) }
    }
    found.sort { query.precedes($0, $1, in: entity) }
    let wanted = found.dropFirst(query.offset).prefix(query.limit ?? .max)
    for item in wanted {
      if let version = versions[item.key] {
        state[table: number].put(item.key, version: version, item.row)
      }
    }
    return wanted.map(\.key)
  }
}

/// A reference to one object in one context (Core Data: `NSManagedObject`).
///
/// Two references with the same context and identity are equal.
public struct StoredObject: Sendable, Hashable {
  /// The context of the object.
  public let context: ObjectContext
  /// The identity of the object.
  public let id: ObjectID

  package init(context: ObjectContext, id: ObjectID) {
    self.context = context
    self.id = id
  }

  /// The value of an attribute, including unsaved edits; `nil` if the object is deleted.
  ///
  /// Read a value of a type with a property of `Value`: `try item["title"]?.string`.
  ///
  /// - Throws: ``HistoryError/Code/unknownAttribute`` if the entity has no such attribute.
  public subscript(attribute: String) -> Value? {
    get throws(HistoryError) { try context.value(of: id, attribute) }
  }

  /// Sets the value of an attribute in the context; the next save writes the value.
  ///
  /// - Throws: ``HistoryError`` if the entity has no such attribute, the value is invalid, or the
  ///   object is deleted.
  public func set(_ value: Value, for attribute: String) throws(HistoryError) {
    try context.set(value, of: id, attribute)
  }

  /// Deletes the object in the context; the next save deletes it in the store.
  public func delete() {
    context.delete(id)
  }
}
