public import HistoryStore
import PersistentHistory

extension ObjectContext {
  /// The objects of an entity that match a predicate, sorted, and no more than asked for
  /// (Core Data: `NSManagedObjectContext.fetch(_:)` with pending changes included).
  ///
  /// What the context has edited is judged and sorted by its edits: inserted objects may match, and
  /// deleted ones do not. Everything else is judged by the store as it is now, and the context takes
  /// the rows over that it answers with. Without an order the objects come in key order.
  ///
  /// - Throws: ``HistoryError`` when a name, a value or the predicate does not fit, or SQLite fails.
  /// - Complexity: a scan of the entity; while the entity has unsaved edits everything that matches is
  ///   read, whatever the limit.
  public func objects(
    _ entity: String,
    where predicate: ObjectPredicate? = nil,
    sortedBy orders: [ObjectOrder] = [],
    limit: Int? = nil,
    offset: Int = 0
  ) throws(HistoryError) -> [StoredObject] {
    guard let number = store.model.number(of: entity) else { throw .unknownEntity(entity) }
    let query = ObjectQuery(predicate, sortedBy: orders, limit: limit, offset: offset)
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
    // The store checks the names and values of the whole query, whatever is pending.
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
