public import HistoryStore
public import HistoryTypes

/// The changes that a merge made to a context.
///
/// Core Data: the keys of `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`.
public struct MergeDelta: Sendable, Hashable {
  /// The new objects that the merge registered; empty unless the context holds all objects, as after
  /// ``ObjectContext/loadAll()``.
  public internal(set) var inserted: [ObjectID] = []
  /// The objects whose rows the merge read again.
  public internal(set) var updated: [ObjectID] = []
  /// The objects that the merge removed from the context.
  public internal(set) var deleted: [ObjectID] = []
}

extension ObjectContext {
  /// Merges the changes of transactions into the context.
  ///
  /// Core Data: `NSManagedObjectContext.mergeChanges(fromContextDidSave:)` with the notification of an
  /// `NSPersistentHistoryTransaction`.
  ///
  /// Each changed object is read from the store once, regardless of the number of transactions.
  /// Unsaved edits are kept, except those of deleted objects.
  ///
  /// Transactions that the context saved itself are skipped. Merging the same transactions again
  /// has no effect. Changes of objects that are not registered are ignored, except that a context
  /// whose ``holdsAllObjects`` is `true` registers the inserted objects.
  ///
  /// - Throws: ``HistoryError/Code/sqlite``; the context is then unchanged.
  /// - Complexity: linear in the number of changes, plus one statement for each entity that has
  ///   registered rows older than their newest change.
  @discardableResult
  public func merge(
    _ transactions: some Sequence<HistoryTransaction>
  ) throws(HistoryError) -> MergeDelta {
    try state.withLock { state throws(HistoryError) in
      var changes = MergedChanges(entityCount: state.tables.count)
      for transaction in transactions where transaction.record.writer != writer.rawValue {
        changes.note(transaction, in: state)
        state.watches.note(transaction)
      }
      try state.movePin()
      return try apply(changes.net(of: state.model), to: &state)
    }
  }

  private func apply(
    _ changes: [[MergedChange]],
    to state: inout ContextState
  ) throws(HistoryError) -> MergeDelta {
    let wanted = changes.map(\.keysToRead)
    let read = try (state.pinned ?? store).rows(sortedKeys: wanted)
    var delta = MergeDelta()
    for (offset, changes) in changes.enumerated() {
      for change in changes where change.effect == .delete {
        let id = ObjectID(entity: Int32(offset + 1), key: change.key)
        if state.forget(id) { delta.deleted.append(id) }
      }
    }
    let gone = state.take(read, wanted)
    for (offset, changes) in changes.enumerated() {
      delta.note(changes, of: Int32(offset + 1), gone: gone)
    }
    return delta
  }
}

extension MergeDelta {
  /// Adds the merged updates and inserts of one entity.
  ///
  /// `gone` contains the objects that the store no longer has. An update of such an object is added
  /// as a delete, and an insert of such an object is left out.
  fileprivate mutating func note(_ changes: [MergedChange], of entity: Int32, gone: Set<ObjectID>) {
    for change in changes where change.effect != .delete {
      let id = ObjectID(entity: entity, key: change.key)
      let isHere = gone.isEmpty || !gone.contains(id)
      switch change.effect {
      case .insert: if isHere { inserted.append(id) }
      case .update: if isHere { updated.append(id) } else { deleted.append(id) }
      case .delete: break
      }
    }
  }
}

extension [MergedChange] {
  /// The keys of the rows that the merge must read, in the order of the changes.
  fileprivate var keysToRead: [Int64] {
    var keys: [Int64] = []
    keys.reserveCapacity(count)
    for change in self where change.effect != .delete { keys.append(change.key) }
    return keys
  }
}

/// The net change of one object by the merged transactions.
struct MergedChange {
  /// The effect of an object's merged changes on the context.
  ///
  /// If an object was changed several times, the effect with the greatest raw value applies. A
  /// deleted object stays deleted, because keys are not reused. An object that was inserted and
  /// updated is read once.
  enum Effect: UInt8 {
    /// The registered row is older than the change and must be read again.
    case update
    /// The object is not registered yet. It must be read, because the context registers all objects.
    case insert
    /// The object was deleted.
    case delete
  }

  let key: Int64
  var effect: Effect
}

/// The changes of the merged transactions by entity, in the order in which they were added.
///
/// The changes are sorted at the end instead of being kept in a dictionary, which halves the time
/// to merge a page of ten thousand changes.
struct MergedChanges {
  private var changes: [[MergedChange]]

  init(entityCount: Int) {
    changes = Array(repeating: [], count: entityCount)
  }

  /// Collects the changes of a transaction that require the context to read or remove a row.
  mutating func note(_ transaction: HistoryTransaction, in state: borrowing ContextState) {
    let record = transaction.record
    let page = transaction.page
    for index in record.firstChange..<record.firstChange + record.count {
      let change = page.changeRecords[index]
      guard change.entity > 0, change.entity <= Int32(changes.count) else { continue }
      guard let merged = Self.merged(change, record.number, state) else { continue }
      changes[Int(change.entity) - 1].append(merged)
    }
  }

  private static func merged(
    _ change: ChangeRecord,
    _ version: Int64,
    _ state: borrowing ContextState
  ) -> MergedChange? {
    if change.type == .delete { return MergedChange(key: change.key, effect: .delete) }
    guard let known = state.tables[Int(change.entity) - 1].version(of: change.key) else {
      return change.type == .insert && state.holdsAll
        ? MergedChange(key: change.key, effect: .insert) : nil
    }
    // If the registered row's version is from this transaction or a later one, the row is up to
    // date.
    guard change.type == .update, known < version else { return nil }
    return MergedChange(key: change.key, effect: .update)
  }

  /// Returns the net effect on each object of each entity, in key order.
  ///
  /// Changes of entities that only a newer program's model declares are left out.
  ///
  /// - Complexity: proportional to the number of changes, and to the number of digits in which
  ///   their keys differ.
  consuming func net(of model: Model) -> [[MergedChange]] {
    for index in changes.indices where !changes[index].isEmpty {
      guard model.entities[index].isDeclared else {
        changes[index] = []
        continue
      }
      changes[index].sortByKey()
      changes[index].keepGreatestEffects()
    }
    return changes
  }
}

extension [MergedChange] {
  /// Reduces each object's changes to one: a delete or, without one, an insert or else an update.
  ///
  /// The changes of one object must be adjacent.
  fileprivate mutating func keepGreatestEffects() {
    guard var last = first else { return }
    var kept = 0
    for change in self {
      if change.key == last.key {
        if change.effect.rawValue > last.effect.rawValue { last.effect = change.effect }
      } else {
        self[kept] = last
        kept += 1
        last = change
      }
    }
    self[kept] = last
    removeSubrange((kept + 1)...)
  }
}

extension ObjectContext {
  /// Reads an object again from the store.
  ///
  /// The object's unsaved edits are kept, unless `keepingEdits` is `false`. An object that is no
  /// longer in the store is removed from the context, unless it is an unsaved insert.
  ///
  /// Core Data: `NSManagedObjectContext.refresh(_:mergeChanges:)`.
  ///
  /// - Parameters:
  ///   - id: The identity of the object.
  ///   - keepingEdits: Whether the object's unsaved edits are kept. The default is `true`.
  /// - Throws: ``HistoryError/Code/unknownObject`` if the model has no such entity, or
  ///   ``HistoryError/Code/sqlite``.
  /// - Complexity: one query of one row.
  public func refresh(_ id: ObjectID, keepingEdits: Bool = true) throws(HistoryError) {
    guard store.model.entity(id.entity)?.isDeclared == true else { throw .unknownObject(id) }
    try state.withLock { state throws(HistoryError) in
      let id = state.current(id)
      if state.edits.type(of: id) != .insert { try refresh(CollectionOfOne(id), in: &state) }
      state.watches.touch(id)
      if !keepingEdits { state.forgetEdits(of: id) }
      state.releaseUnheld(CollectionOfOne(id))
    }
  }

  /// Reads all registered objects again, from one snapshot of the store; unsaved edits are kept.
  ///
  /// Live queries read their results again.
  ///
  /// Core Data: `NSManagedObjectContext.refreshAllObjects()`.
  ///
  /// - Throws: ``HistoryError/Code/sqlite``; the context is then unchanged.
  /// - Complexity: one statement for every 16,384 registered objects of an entity.
  public func refreshAll() throws(HistoryError) {
    try state.withLock { state throws(HistoryError) in try refreshAll(&state) }
  }

  func refreshAll(_ state: inout ContextState) throws(HistoryError) {
    try state.movePin()
    try refresh(state.registeredIDs, in: &state)
    state.watches.restart()
  }
}

extension ContextState {
  /// The identities of all registered objects, edited or not.
  fileprivate var registeredIDs: [ObjectID] {
    tables.enumerated().flatMap { offset, table in
      table.keys.map { ObjectID(entity: Int32(offset + 1), key: $0) }
    }
  }
}
