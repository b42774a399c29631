import HistoryStore
public import HistoryTypes

extension ObjectContext {
  /// A Boolean value that indicates whether the context holds every object of the store.
  ///
  /// The value is `false` in a new context. Such a context holds only its registered objects: see
  /// ``retainsRegisteredObjects``. A merge changes only these objects, and the memory is
  /// proportional to their number.
  ///
  /// ``loadAll()`` makes the value `true`: merges then register the objects that other
  /// contexts insert, and no object is released automatically. Releasing an object makes the value
  /// `false` again. From then on, an object is released when its last ``StoredObject`` is gone, unless
  /// ``retainsRegisteredObjects`` is `true`. An object that has no ``StoredObject``, and never gets
  /// one, stays registered until ``release(_:)``, ``releaseAll()`` or ``reset()`` releases it.
  public var holdsAllObjects: Bool { state.withLock { $0.holdsAll } }

  /// Releases a registered object, so that the context needs no memory for it.
  ///
  /// The object is read again when it is used. An object with unsaved edits is not released.
  ///
  /// Core Data: `NSManagedObjectContext.refresh(_:mergeChanges:)` with `false`.
  ///
  /// - Returns: `true` if the object was released: it was registered and has no unsaved edits.
  /// - Complexity: no query.
  @discardableResult
  public func release(_ id: ObjectID) -> Bool {
    state.withLock { state in
      let id = state.current(id)
      guard state.edits.type(of: id) == nil, state.isHere(id) else { return false }
      state.holdsAll = false
      return state[table: id.entity].remove(id.key)
    }
  }

  /// Releases all registered objects without unsaved edits, and the memory that they take.
  ///
  /// The objects are read again when they are used.
  ///
  /// Core Data: `NSManagedObjectContext.refreshAllObjects()`, which turns objects into faults.
  ///
  /// - Complexity: linear in the objects with unsaved edits.
  public func releaseAll() {
    state.withLock { $0.releaseAll() }
  }

  /// Releases all objects and discards unsaved edits, so that the context is like a new one.
  ///
  /// Live queries read their results again.
  ///
  /// Core Data: `NSManagedObjectContext.reset()`.
  ///
  /// - Complexity: linear in the unsaved edits and in those that can be undone or redone. No object is
  ///   read, except by live queries.
  public func reset() {
    state.withLock { state in
      state.forgetEdits()
      state.undo.clear()
      state.replacements = [:]
      state.releaseAll()
      // If the file cannot be read, the snapshot is lost, and the next read throws.
      try? state.movePin()
      state.watches.restart()
    }
  }

  /// Returns whether an object exists, reading it from the store if it is not registered yet.
  func read(_ id: ObjectID, _ state: inout ContextState) throws(HistoryError) -> Bool {
    if state.isHere(id) { return true }
    guard state.edits.type(of: id) == nil, store.model.entity(id.entity)?.isDeclared == true else {
      return false
    }
    let batch = try (state.pinned ?? store).rows(id.entity, sortedKeys: [id.key])
    state[table: id.entity].put(batch)
    return batch.count > 0
  }

  /// Returns whether an object exists; reads the object if the context may have released it.
  ///
  /// If ``ObjectContext/holdsAllObjects`` is `true`, an object that is not registered does not exist.
  func readReleased(_ id: ObjectID, _ state: inout ContextState) throws(HistoryError) -> Bool {
    state.holdsAll ? state.isHere(id) : try read(id, &state)
  }
}

extension ContextState {
  /// Returns whether an object that is not registered may exist in the store, and can be read.
  ///
  /// Returns `false` if the context holds all objects, or does not know the object's entity.
  /// Returns `false` for an object with an unsaved edit, too: the context never releases such an
  /// object.
  func mayBeReleased(_ id: ObjectID) -> Bool {
    !holdsAll && edits.type(of: id) == nil && model.entity(id.entity)?.isDeclared == true
  }

  /// Releases all registered rows without unsaved edits.
  fileprivate mutating func releaseAll() {
    holdsAll = false
    let released = tables
    tables = model.entities.map { EntityTable(types: $0.attributes.map(\.type)) }
    for id in order {
      let table = released[Int(id.entity) - 1]
      guard let row = table.row(of: id.key), let version = table.version(of: id.key)
      else { continue }
      self[table: id.entity].put(id.key, version: version, row[...])
    }
  }
}
