public import HistoryStore
public import HistoryTypes

/// An in-memory view of a store with its own unsaved edits (Core Data: `NSManagedObjectContext`).
///
/// A context registers each object once, tracks edits by attribute, and saves them as one
/// transaction under its author and name. A tracker merges the transactions of other contexts and
/// processes into the context. A context is safe to use from any thread; calls run one at a time.
///
/// An object stays registered while a ``StoredObject``, an unsaved edit or a live query refers to it, or
/// as long as the context exists if ``retainsRegisteredObjects`` or ``holdsAllObjects`` is `true`.
public final class ObjectContext: Sendable {
  /// The store that contains the objects.
  public let store: Store
  /// The author of the context's transactions, or `nil`.
  public let author: String?
  /// The context name of the context's transactions, or `nil`.
  public let name: String?
  /// The rule for a save of an object that another writer changed after the context read the object.
  ///
  /// Keep the ``StoredObject`` from the read to the edit. Otherwise the context may release the object,
  /// and the edit reads the object again. The save then does not detect what others wrote before
  /// this second read.
  public let mergePolicy: MergePolicy
  /// A Boolean value that indicates whether objects stay registered without a reference to them.
  ///
  /// If the value is `false`, which is the default, the context releases an object after the last
  /// ``StoredObject`` of the object is gone, at the latest at the next use of the context. An object
  /// with unsaved edits, or in the result of a live query, is not released. The objects that a query
  /// returned are released in groups of up to 16 neighbors, when the last ``StoredObject`` of the
  /// group is gone. A released object is read again when it is used, and merges ignore it.
  ///
  /// Core Data: `NSManagedObjectContext.retainsRegisteredObjects`.
  public let retainsRegisteredObjects: Bool
  /// The identity by which the context recognizes its own transactions.
  package let writer: WriterID

  let state: ContextLock

  /// Creates a context without registered objects.
  ///
  /// - Parameters:
  ///   - store: The store that contains the objects.
  ///   - author: The author of the context's transactions. The default is `nil`, for none.
  ///   - name: The context name of the transactions. The default is `nil`, for none.
  ///   - mergePolicy: The handling of saved objects that another writer changed. The default is
  ///     ``HistoryStore/MergePolicy/error``.
  ///   - retainsRegisteredObjects: Whether objects stay registered without a reference to them. The
  ///     default is `false`.
  public convenience init(
    store: Store,
    author: String? = nil,
    name: String? = nil,
    mergePolicy: MergePolicy = .error,
    retainsRegisteredObjects: Bool = false
  ) {
    self.init(
      store: store,
      author: author,
      name: name,
      mergePolicy: mergePolicy,
      writer: store.makeWriter(),
      state: ContextState(
        model: store.model,
        retainsRegisteredObjects: retainsRegisteredObjects
      )
    )
  }

  init(
    store: Store,
    author: String?,
    name: String?,
    mergePolicy: MergePolicy,
    writer: WriterID,
    state: ContextState
  ) {
    self.store = store
    self.author = author
    self.name = name
    self.mergePolicy = mergePolicy
    retainsRegisteredObjects = state.retainsRegisteredObjects
    self.writer = writer
    self.state = ContextLock(state)
  }

  deinit {
    state.finish()
  }

  // MARK: Reading

  /// Returns the object with an identity, reading it from the store if it is not registered yet.
  ///
  /// A save may replace an inserted object by the store's object with the same unique values. If
  /// `id` is the identity of the inserted object, this method then returns the store's object,
  /// whose `id` differs.
  ///
  /// - Returns: The object, or `nil` if it does not exist or is deleted in the context.
  /// - Throws: ``HistoryError/Code/sqlite``.
  /// - Complexity: one query of one row on first access (Core Data: firing a fault).
  public func object(_ id: ObjectID) throws(HistoryError) -> StoredObject? {
    try state.withLock { state throws(HistoryError) in
      let id = state.current(id)
      return try read(id, &state) ? reference(to: id, &state) : nil
    }
  }

  /// Returns the registered objects of an entity in key order, including unsaved inserts.
  ///
  /// Core Data: `NSManagedObjectContext.registeredObjects`.
  ///
  /// - Throws: ``HistoryError/Code/unknownEntity``.
  /// - Complexity: no query; linear in the registered objects of the entity.
  public func registeredObjects(_ entity: String) throws(HistoryError) -> [StoredObject] {
    guard let number = store.model.number(of: entity) else {
      throw .unknownEntity(entity, in: store.model)
    }
    return state.withLock { state in
      let inserted = state.order.filter {
        $0.entity == number && state.edits.type(of: $0) == .insert
      }
      let keys = state[table: number].keys.map { ObjectID(entity: number, key: $0) }
      let found = (keys + inserted).filter { state.isHere($0) }.map(\.key).sorted()
      return references(to: found, of: number, &state)
    }
  }

  /// Reads every object of the store again, from one snapshot, and discards unsaved edits.
  ///
  /// From then on, merges register the objects that other contexts insert, until the context
  /// releases an object.
  ///
  /// - Returns: The position in history of the snapshot.
  /// - Throws: ``HistoryError/Code/sqlite``; the context is then unchanged.
  /// - Complexity: a scan of the data in one read transaction, which blocks no writer.
  @discardableResult
  public func loadAll() throws(HistoryError) -> HistoryToken {
    // Keep the lock from the snapshot to the update: edits made in between would be lost.
    try state.withLock { state throws(HistoryError) in
      try state.movePin()
      var snapshot = try (state.pinned ?? store).snapshot()
      state.forgetEdits()
      state.undo.clear()
      state.watches.restart()
      state.holdsAll = true
      while let batch = snapshot.rows.popLast() {
        state[table: batch.entity].removeAll()
        state[table: batch.entity].put(batch)
      }
      return snapshot.at
    }
  }

  func value(of id: ObjectID, _ attribute: String) throws(HistoryError) -> Value? {
    let place = Int(id.entity) - 1
    guard store.model.entities.indices.contains(place) else { return nil }
    guard let index = store.model.entities[place].attributes.index(of: attribute) else {
      throw .unknownAttribute(attribute, of: store.model.entities[place])
    }
    return try state.withLock { state throws(HistoryError) in
      if let value = state.value(index, of: id) { return value }
      let id = state.current(id)
      return try readReleased(id, &state) ? state.value(index, of: id) : nil
    }
  }

  /// Returns an object's values including unsaved edits, or `nil` if it is deleted or does not exist.
  func row(of id: ObjectID) throws(HistoryError) -> [Value]? {
    try state.withLock { state throws(HistoryError) in
      let id = state.current(id)
      return try readReleased(id, &state) ? state.row(of: id).map(Array.init) : nil
    }
  }

  /// Calls a closure with the committed row of each registered object.
  package func forEachRegistered(_ body: (ObjectID, ArraySlice<Value>) -> Void) {
    let tables = state.withLock { $0.tables }
    for (offset, table) in tables.enumerated() {
      table.visitRows { key, row in body(ObjectID(entity: Int32(offset + 1), key: key), row[...]) }
    }
  }

  // MARK: Editing

  /// A Boolean value that indicates whether the context has unsaved edits.
  public var hasChanges: Bool { state.withLock { !$0.order.isEmpty } }

  /// Inserts an object into the context; the next save writes it to the store.
  ///
  /// Attributes without a value have their default values.
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - values: The values by attribute name. The default is none.
  /// - Returns: The inserted object.
  /// - Throws: ``HistoryError`` if a name or value is invalid, or SQLite fails to reserve keys.
  /// - Complexity: no query, or one small write for each reserved block of keys.
  @discardableResult
  public func insert(
    _ entity: String,
    _ values: [String: Value] = [:]
  ) throws(HistoryError) -> StoredObject {
    let number = try number(of: entity)
    let attributes = store.model.entities[Int(number) - 1].attributes
    var columns: UInt64 = 0
    var row = attributes.map(\.defaultValue)
    for (name, value) in values {
      guard let index = attributes.index(of: name, for: value) else {
        throw Self.unfit(value, for: name, of: store.model.entities[Int(number) - 1])
      }
      columns |= 1 << UInt64(index)
      row[index] = value
    }
    let id = try store.makeObjectID(number)
    return state.withLock { state in
      state.recording(id) { $0.insert(id, columns: columns, values: row) }
      return reference(to: id, &state)
    }
  }

  func set(_ value: Value, of id: ObjectID, _ attribute: String) throws(HistoryError) {
    guard let index = store.model.index(of: attribute, of: id.entity, for: value) else {
      guard let entity = store.model.entity(id.entity) else { throw .unknownObject(id) }
      throw Self.unfit(value, for: attribute, of: entity)
    }
    try state.withLock { state throws(HistoryError) in
      if !state.undo.isRecording, state.setIfHere(value, index, of: id) { return }
      let id = state.current(id)
      guard try readReleased(id, &state) else { throw .unknownObject(id) }
      state.recording(id) { $0.set(value, index, of: id) }
    }
  }

  /// Deletes an object in the context, and in the store at the next save.
  ///
  /// Has no effect if the object is already deleted, or if ``holdsAllObjects`` is `true` and the
  /// context does not contain the object. An object that the context has not read is deleted at the
  /// save, whatever its values are by then. The save also applies the delete rules of references to
  /// the object; until then, other objects in the context still refer to the deleted one.
  ///
  /// - Complexity: no query; if edits can be undone, a query of one row for an unregistered object.
  public func delete(_ id: ObjectID) {
    state.withLock { state in
      let id = state.current(id)
      if state.isHere(id) || state.mayBeReleased(id) {
        if state.undo.isRecording { _ = try? read(id, &state) }
        state.recording(id) { $0.delete(id) }
      }
    }
  }

  /// Discards all unsaved edits, and everything that can be undone and redone.
  ///
  /// Core Data: `NSManagedObjectContext.rollback()`.
  ///
  /// - Complexity: linear in the unsaved edits and in those that can be undone or redone; no query.
  public func rollback() {
    state.withLock { state in
      let edited = state.order
      state.forgetEdits()
      state.undo.clear()
      state.releaseUnheld(edited)
    }
  }

  /// Returns the error for setting an attribute that does not exist, or a value that does not fit.
  private static func unfit(
    _ value: Value,
    for attribute: String,
    of entity: Entity
  ) -> HistoryError {
    guard let index = entity.index(of: attribute) else {
      return .unknownAttribute(attribute, of: entity)
    }
    let type = entity.attributes[index].type
    return .unfitValue(entity: entity.name, attribute: attribute, type: type)
  }
}

extension ObjectContext: Hashable {
  /// Returns whether two references point to the same context.
  public static func == (left: ObjectContext, right: ObjectContext) -> Bool { left === right }

  /// Hashes the context's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

extension ObjectContext {
  /// Returns whether an object is an unsaved insert of this context.
  package func isInserted(_ id: ObjectID) -> Bool {
    state.withLock { $0.edits.type(of: id) == .insert }
  }
}

extension Model {
  /// Returns the index of an entity's attribute; `nil` if it does not exist or the value does not fit.
  ///
  /// Unlike ``entity(_:)``, this method does not copy the entity.
  fileprivate func index(of attribute: String, of entity: Int32, for value: Value) -> Int? {
    let place = Int(entity) - 1
    guard entities.indices.contains(place) else { return nil }
    return entities[place].attributes.index(of: attribute, for: value)
  }
}

extension [Attribute] {
  /// Returns the index of an attribute, or `nil` if it does not exist or the value does not fit.
  fileprivate func index(of name: String, for value: Value) -> Int? {
    guard let index = index(of: name), value.fits(self[index].type) else { return nil }
    return index
  }

  /// Returns the index of an attribute, or `nil` if it does not exist.
  ///
  /// The method compares lengths first, because comparing strings takes much longer.
  fileprivate func index(of name: String) -> Int? {
    let byteCount = name.utf8.count
    for index in indices where self[index].name.utf8.count == byteCount {
      if self[index].name == name { return index }
    }
    return nil
  }
}

extension Value {
  /// Returns whether an attribute of a type can have the value.
  ///
  /// NaN fits no attribute, because SQLite would convert it to null.
  fileprivate func fits(_ type: AttributeType) -> Bool {
    switch self {
    case .null: true
    case .int: type == .int
    case .double(let double): type == .double && !double.isNaN
    case .string: type == .string
    case .data: type == .data
    case .date(let date): type == .date && !date.timeIntervalSinceReferenceDate.isNaN
    case .bool: type == .bool
    case .uuid: type == .uuid
    }
  }
}

extension ObjectContext {
  /// A copy of a context's options, registered rows and unsaved edits, to create an equal context from.
  package struct Snapshot: Sendable {
    let author: String?
    let name: String?
    let mergePolicy: MergePolicy
    let writer: WriterID
    let state: ContextState
  }

  package var snapshot: Snapshot {
    Snapshot(
      author: author,
      name: name,
      mergePolicy: mergePolicy,
      writer: writer,
      state: state.withLock { $0.detached }
    )
  }

  /// Creates a context from a snapshot, on another connection to the same store.
  package convenience init(store: Store, snapshot: Snapshot) {
    self.init(
      store: store,
      author: snapshot.author,
      name: snapshot.name,
      mergePolicy: snapshot.mergePolicy,
      writer: snapshot.writer,
      state: snapshot.state
    )
  }
}
