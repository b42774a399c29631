import HistoryStore
import HistoryTypes

/// The state of a context: the registered committed rows, and the unsaved edits on top of them.
struct ContextState: Sendable {
  let model: Model
  var tables: [EntityTable]
  /// Whether the context keeps every object of the store registered.
  ///
  /// If the value is `true`, merges register the objects that other contexts insert.
  var holdsAll = false
  /// Whether objects stay registered without a reference to them.
  let retainsRegisteredObjects: Bool
  /// For each object, the number of ``ObjectHold`` instances that keep it registered.
  var holds: HoldCounts
  private(set) var edits: PendingEdits
  /// The edited objects, in the order of their first edit.
  private(set) var order: [ObjectID] = []
  /// The live queries of the context.
  var watches = LiveWatches()
  /// The connection that reads from one snapshot, if the context is pinned.
  var pinned: Store?
  /// The position in history of a pinned context's snapshot.
  var moment: HistoryToken?
  /// The edits that can be undone and redone.
  var undo = UndoStack()
  /// The inserted objects that a save replaced, each with the store's object that replaced it.
  ///
  /// Both objects have the same unique values.
  var replacements: [ObjectID: ObjectID] = [:]

  init(model: Model, retainsRegisteredObjects: Bool) {
    self.model = model
    self.retainsRegisteredObjects = retainsRegisteredObjects
    holds = HoldCounts(entityCount: model.entities.count)
    edits = PendingEdits(entityCount: model.entities.count)
    tables = model.entities.map { EntityTable(types: $0.attributes.map(\.type)) }
  }

  /// The registered objects of an entity.
  ///
  /// A read returns a copy, which retains the table's arrays and shares their elements. A change is
  /// made in place, without a copy.
  subscript(table entity: Int32) -> EntityTable {
    get { tables[Int(entity) - 1] }
    _modify { yield &tables[Int(entity) - 1] }
  }

  /// Returns the store's object that replaced an inserted object, or `id` if none did.
  ///
  /// See ``replacements``.
  func current(_ id: ObjectID) -> ObjectID {
    replacements.isEmpty ? id : replacements[id] ?? id
  }

  /// Returns whether the context has an object, registered or inserted, and has not deleted it.
  func isHere(_ id: ObjectID) -> Bool {
    guard id.entity > 0, id.entity <= tables.count else { return false }
    return switch edits.type(of: id) {
    case .delete: false
    case .insert: true
    case .update, nil: tables[Int(id.entity) - 1].contains(id.key)
    }
  }

  /// Returns an attribute's value including edits, or `nil` if the object is not in the context.
  func value(_ attribute: Int, of id: ObjectID) -> Value? {
    if let edit = edits[id] {
      if edit.type == .delete { return nil }
      // The values of an insert include the default values.
      if let given = edit.value(attribute) { return given }
    }
    return tables[Int(id.entity) - 1].value(attribute, of: id.key)
  }

  /// Returns an object's row including edits, or `nil` if the object is not in the context.
  func row(of id: ObjectID) -> ArraySlice<Value>? {
    guard isHere(id) else { return nil }
    guard let edit = edits[id] else { return tables[Int(id.entity) - 1].row(of: id.key)?[...] }
    guard edit.type == .update, var row = self[table: id.entity].row(of: id.key)
    else { return edit.values[...] }
    for index in row.indices { row[index] = edit.value(index) ?? row[index] }
    return row[...]
  }

  /// Moves a pinned context to the current snapshot of the store.
  mutating func movePin() throws(HistoryError) {
    if let pinned { moment = try pinned.movePin() }
  }

  // MARK: Edits, combined to one net effect for each object

  mutating func insert(_ id: ObjectID, columns: UInt64, values: [Value]) {
    enter(id, PendingEdit(type: .insert, columns: columns, values: values))
  }

  mutating func set(_ value: Value, _ attribute: Int, of id: ObjectID) {
    watches.touch(id)
    if edits.set(value, attribute, of: id) { order.append(id) }
  }

  /// Sets an attribute of a registered or inserted object.
  ///
  /// Returns `false` and sets nothing for any other object, such as a deleted one. Looks up the edit of
  /// the object only once.
  mutating func setIfHere(_ value: Value, _ attribute: Int, of id: ObjectID) -> Bool {
    if let place = edits.place(of: id) {
      guard edits.set(value, attribute, at: place) else { return false }
    } else {
      guard tables[Int(id.entity) - 1].contains(id.key) else { return false }
      edits.add(PendingEdit(setting: attribute, to: value), of: id)
      order.append(id)
    }
    watches.touch(id)
    return true
  }

  mutating func delete(_ id: ObjectID) {
    if edits.type(of: id) == .insert {
      forget(id)
    } else {
      enter(id, PendingEdit(type: .delete, columns: 0, values: []))
    }
  }

  /// Discards the edits of an object; an unsaved insert is discarded with its object.
  mutating func forgetEdits(of id: ObjectID) {
    guard edits.remove(id) else { return }
    order.removeAll { $0 == id }
    watches.touch(id)
  }

  mutating func forgetEdits() {
    watches.touch(order)
    edits.removeAll()
    order.removeAll(keepingCapacity: true)
  }

  /// Removes an object that is no longer in the store, and discards its edits.
  ///
  /// - Returns: `true` if the context had registered the object's row.
  @discardableResult
  mutating func forget(_ id: ObjectID) -> Bool {
    forgetEdits(of: id)
    watches.noteDeleted(id)
    return self[table: id.entity].remove(id.key)
  }

  mutating func enter(_ id: ObjectID, _ edit: PendingEdit) {
    watches.touch(id)
    if edits.put(edit, of: id) { order.append(id) }
  }

  /// Returns the unsaved edits in the form that the store accepts.
  ///
  /// Each edit contains the version of the row that the context edited. It contains the row itself
  /// if the merge policy, or the closure that resolves conflicts, needs the row.
  func objectEdits(for policy: MergePolicy, hasClosure: Bool = false) -> [ObjectEdit] {
    let needsBase = policy == .storeWins || policy == .overwrite || hasClosure
    var found: [ObjectEdit] = []
    found.reserveCapacity(order.count)
    for id in order {
      guard var sent = edits.objectEdit(of: id) else { continue }
      if sent.type != .insert {
        // The delete of an object that the context does not contain has no registered row.
        sent.version = tables[Int(id.entity) - 1].version(of: id.key) ?? ObjectEdit.anyVersion
        if hasClosure || needsBase && sent.type == .update {
          sent.base = self[table: id.entity].row(of: id.key) ?? []
        }
      }
      found.append(sent)
    }
    return found
  }

  /// Applies the result of a save: updates the registered rows and discards the saved edits.
  mutating func apply(_ result: consuming SaveResult) {
    let number = result.version
    let edited = releasesObjects ? order : []
    // Delete rules also delete objects of entities that only a newer program's model has.
    let deletedByRule = result.deletedByRule.filter { $0.entity <= tables.count }
    var gone = deletedByRule + result.removed
    for (id, outcome) in zip(order, result.outcomes) {
      guard let edit = edits[id] else { continue }
      switch (outcome, edit.type) {
      case (.written, .insert):
        self[table: id.entity].put(id.key, version: number, edit.values[...])
      case (.written, .update):
        self[table: id.entity].set(edit.columns, edit.values, version: number, of: id.key)
      case (.written, .delete), (.writtenOver, .delete), (.gone, _):
        self[table: id.entity].remove(id.key)
        gone.append(id)
      case (.replaced(let other), _):
        replacements[id] = other
        holds.replace(id, by: other)
      case (.writtenOver, _), (.leftOut, _): break
      }
    }
    forgetEdits()
    if !watches.isEmpty {
      for id in gone { watches.noteDeleted(id) }
      for batch in result.rowsByRule { watches.touch(batch.entity, batch.keys) }
      for batch in result.rows { watches.touch(batch.entity, batch.keys) }
    }
    if !gone.isEmpty || result.outcomes.contains(where: \.isReplaced) { undo.clear() }
    for id in deletedByRule { self[table: id.entity].remove(id.key) }
    for batch in result.rowsByRule { self[table: batch.entity].refresh(batch) }
    for id in result.removed { self[table: id.entity].remove(id.key) }
    var reread: [ObjectID] = []
    while let batch = result.rows.popLast() {
      if releasesObjects {
        reread += batch.keys.map { ObjectID(entity: batch.entity, key: $0) }
      }
      self[table: batch.entity].put(batch)
    }
    releaseUnheld(edited + reread)
  }
}

extension EditOutcome {
  /// Whether the save kept an object of the store instead of inserting this edit's object.
  ///
  /// The store's object has the same unique values.
  fileprivate var isReplaced: Bool { if case .replaced = self { true } else { false } }
}
