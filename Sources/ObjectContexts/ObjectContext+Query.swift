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
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - predicate: The condition on the objects. The default `nil` selects all.
  ///   - orders: The sort orders, the most significant first. The default is the order of the keys.
  ///   - limit: The maximum number of objects. The default `nil` is no limit.
  ///   - offset: The number of matching objects to skip. The default is 0.
  /// - Returns: The objects, at most as many as the limit.
  /// - Throws: ``HistoryError`` if a name, a value, the predicate, the limit or the offset is invalid,
  ///   or SQLite fails.
  /// - Complexity: one query, which scans the entity or an index. At most as many rows are read as
  ///   the sum of the limit, the offset and the number of the entity's unsaved edits.
  public func objects(
    _ entity: String,
    where predicate: ObjectPredicate? = nil,
    sortedBy orders: [ObjectOrder] = [],
    limit: Int? = nil,
    offset: Int = 0
  ) throws(HistoryError) -> [StoredObject] {
    let number = try number(of: entity)
    let query = try ObjectQuery(predicate, sortedBy: orders, limit: limit, offset: offset)
    return try state.withLock { state throws(HistoryError) in
      let keys =
        try state.order.contains { $0.entity == number }
        ? edited(number, query, &state) : stored(number, query, &state)
      return references(to: keys, of: number, &state)
    }
  }

  /// Returns SQLite's plan of a query, such as `SEARCH Item USING INDEX ...`, one step per line.
  ///
  /// A step with `SCAN` reads all rows, and one with `USE TEMP B-TREE` sorts them: declare an index in
  /// the model to avoid both. See https://sqlite.org/eqp.html. The parameters are those of
  /// `objects(_:where:sortedBy:limit:offset:)`.
  ///
  /// - Throws: ``HistoryError`` if a name, a value, the predicate, the limit or the offset is invalid,
  ///   or SQLite fails.
  /// - Complexity: no row of the entity is read.
  public func explain(
    _ entity: String,
    where predicate: ObjectPredicate? = nil,
    sortedBy orders: [ObjectOrder] = [],
    limit: Int? = nil,
    offset: Int = 0
  ) throws(HistoryError) -> String {
    let number = try number(of: entity)
    let query = try ObjectQuery(predicate, sortedBy: orders, limit: limit, offset: offset)
    return try store.plan(number, query)
  }

  /// Returns the number that identifies a declared entity in the store's model.
  ///
  /// - Throws: ``HistoryError/Code/unknownEntity``.
  func number(of entity: String) throws(HistoryError) -> Int32 {
    guard let number = store.model.number(of: entity) else {
      throw .unknownEntity(entity, in: store.model)
    }
    return number
  }

  private func stored(
    _ number: Int32,
    _ query: ObjectQuery,
    _ state: inout ContextState
  ) throws(HistoryError) -> [Int64] {
    let batch = try (state.pinned ?? store).rows(number, query)
    state[table: number].put(batch)
    return batch.keys
  }

  private func edited(
    _ number: Int32,
    _ query: ObjectQuery,
    _ state: inout ContextState
  ) throws(HistoryError) -> [Int64] {
    let found = try state.rows(number, query, in: state.pinned ?? store)
    for row in found { state.register(row, of: number) }
    return found.map(\.key)
  }
}

/// A row that matches a query, with the context's unsaved edits applied.
struct FoundRow {
  let key: Int64
  /// The version of the row in the store, or `nil` if the row has unsaved edits.
  let version: Int64?
  let values: ArraySlice<Value>
}

extension ContextState {
  /// Registers a found row, unless it has unsaved edits.
  mutating func register(_ row: FoundRow, of entity: Int32) {
    guard let version = row.version else { return }
    self[table: entity].put(row.key, version: version, row.values)
  }

  /// Returns the rows that a query finds, unsaved edits included, without registering them.
  ///
  /// The store returns only rows without unsaved edits, at most as many as the result can contain.
  /// Edited rows that match are then inserted at their places.
  func rows(
    _ number: Int32,
    _ query: ObjectQuery,
    in store: Store
  ) throws(HistoryError) -> ArraySlice<FoundRow> {
    guard let entity = model.entity(number) else { return [] }
    var others = query
    others.excluded = editedKeys(of: number)
    others.offset = 0
    others.limit = query.limit.map { $0.addingReportingOverflow(query.offset) }
      .map { $0.overflow ? .max : $0.partialValue }
    let batch = try store.rows(number, others)
    var found = batch.map { FoundRow($0) }
    let edited = try editedRows(of: number, matching: query.predicate)
    if !edited.isEmpty {
      found += edited.map { FoundRow(key: $0.key, version: nil, values: $0.row) }
      found.sort { query.precedes(($0.key, $0.values), ($1.key, $1.values), in: entity) }
    }
    return found.dropFirst(query.offset).prefix(query.limit ?? .max)
  }
}

extension FoundRow {
  /// Creates a found row without unsaved edits.
  init(_ row: RowBatch.Row) {
    self.init(key: row.key, version: row.version, values: row.values[...])
  }
}

extension ContextState {
  /// Returns the keys of an entity's objects with unsaved updates and deletes, in ascending order.
  func editedKeys(of entity: Int32) -> [Int64] {
    order.filter { $0.entity == entity && edits.type(of: $0) != .insert }.map(\.key).sorted()
  }

  /// Returns the edited rows of an entity that match a predicate; deleted objects are left out.
  func editedRows(
    of entity: Int32,
    matching predicate: ObjectPredicate?
  ) throws(HistoryError) -> [(key: Int64, row: ArraySlice<Value>)] {
    guard let description = model.entity(entity) else { return [] }
    var found: [(key: Int64, row: ArraySlice<Value>)] = []
    for id in order where id.entity == entity {
      guard let row = row(of: id) else { continue }
      if try predicate?.matches(row, of: description) ?? true { found.append((id.key, row)) }
    }
    return found
  }
}

/// A reference to one object in one context (Core Data: `NSManagedObject`).
///
/// Two references with the same context and identity are equal. While a reference exists, the object
/// stays registered: see ``ObjectContext/retainsRegisteredObjects``.
public struct StoredObject: Sendable, Hashable {
  /// The context through which this reference reads and edits the object.
  public let context: ObjectContext
  /// The identity of the object.
  public let id: ObjectID

  /// The ``ObjectHold`` that keeps the object registered; `nil` if this reference has none.
  private let hold: ObjectHold?

  init(context: ObjectContext, id: ObjectID, hold: ObjectHold?) {
    self.context = context
    self.id = id
    self.hold = hold
  }

  /// Creates a reference that does not keep the object registered.
  package init(context: ObjectContext, id: ObjectID) {
    self.init(context: context, id: id, hold: nil)
  }

  /// Returns whether two references have the same context and identity.
  public static func == (left: StoredObject, right: StoredObject) -> Bool {
    left.context === right.context && left.id == right.id
  }

  /// Hashes the context and the identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(context)
    hasher.combine(id)
  }

  /// The identity under which the context has the object now.
  ///
  /// The value differs from ``id`` if a save replaced the inserted object by the store's object with
  /// the same unique values.
  var currentID: ObjectID { context.state.withLock { $0.current(id) } }

  /// The value of an attribute, including unsaved edits; `nil` if the object is deleted.
  ///
  /// To get the value as a Swift type, use a property of `Value`: `try item["title"]?.string`.
  ///
  /// - Throws: ``HistoryError/Code/unknownAttribute`` if the entity has no such attribute.
  /// - Complexity: no query, or a query of one row if the object is not registered.
  public subscript(attribute: String) -> Value? {
    get throws(HistoryError) { try context.value(of: id, attribute) }
  }

  /// Sets the value of an attribute in the context; the next save writes the value.
  ///
  /// - Throws: ``HistoryError`` if the entity has no such attribute, the value is invalid, or the
  ///   object is deleted.
  /// - Complexity: no query, or a query of one row if the object is not registered.
  public func set(_ value: Value, for attribute: String) throws(HistoryError) {
    try context.set(value, of: id, attribute)
  }

  /// Deletes the object in the context; the next save deletes it in the store.
  ///
  /// - Complexity: that of ``ObjectContext/delete(_:)``.
  public func delete() {
    context.delete(id)
  }
}
