import DiskScripts
import HistoryStore
import HistoryTypes
import ObjectContexts
import Traces

/// The process of an actor in a plan: a connection of its own to the store, and its contexts.
///
/// This project's tracker writes through this type, and so does every ``TrackingDesign``, such as
/// those of other projects. Each of them reads history in its own way.
final class PlanProcess {
  let actor: PlannedActor
  let store: Store
  /// The contexts that history is merged into; the first is the actor's view.
  let contexts: [ObjectContext]
  /// The context name under which the system under test makes batch requests.
  let batchContextName: String
  /// The references between objects in the model of this process.
  let references: PlanReferences
  /// The write that `begin` has started and `commitStaged` has not committed; `nil` if there is none.
  private(set) var staged: PlannedWrite?
  /// The time of the `begin` command that started the uncommitted write ``staged``.
  private(set) var begunAt: Date?
  /// The live queries of the actor's view.
  var lists = LiveLists()

  init(
    _ actor: PlannedActor,
    on store: Store,
    batchContextName: String = "batch"
  ) {
    self.actor = actor
    self.batchContextName = batchContextName
    self.store = store
    references = PlanReferences(store.model)
    contexts = actor.contextNames.map { name in
      ObjectContext(
        store: store,
        author: actor.author,
        name: name,
        mergePolicy: .objectWins,
        retainsRegisteredObjects: true
      )
    }
  }

  /// A snapshot of the process's memory.
  struct Snapshot {
    let actor: PlannedActor
    let batchContextName: String
    let staged: PlannedWrite?
    let begunAt: Date?
    let contexts: [ObjectContext.Snapshot]
    /// The cached state of the process's connection; `nil` if the process has suspended its store.
    let store: CachedFileState?
  }

  func snapshot() throws(SystemFailure) -> Snapshot {
    guard lists.isEmpty else {
      throw SystemFailure(
        .unsupported,
        "No snapshot can be taken: \(actor.id) has live queries, and a snapshot cannot contain "
          + "their unreported changes."
      )
    }
    return Snapshot(
      actor: actor,
      batchContextName: batchContextName,
      staged: staged,
      begunAt: begunAt,
      contexts: contexts.map(\.snapshot),
      store: store.isSuspended
        ? nil : try mappingErrors { () throws(HistoryError) in try store.cachedState() }
    )
  }

  /// Creates a process from a snapshot, on a store that is already restored.
  init(_ snapshot: Snapshot, on store: Store) throws(HistoryError) {
    actor = snapshot.actor
    batchContextName = snapshot.batchContextName
    staged = snapshot.staged
    begunAt = snapshot.begunAt
    self.store = store
    references = PlanReferences(store.model)
    contexts = snapshot.contexts.map { ObjectContext(store: store, snapshot: $0) }
    if let state = snapshot.store { try store.restore(state) }
  }

  func author(_ choice: WriteAuthor) -> String? {
    switch choice {
    case .own: actor.author
    case .absent: nil
    case .other(let name): name
    }
  }

  /// Returns the name that history shows for a context of the plan.
  private func contextName(_ planned: String) -> String {
    planned == "batch" ? batchContextName : planned
  }

  /// Makes a planned write, as a save of the named context or as one batch request.
  ///
  /// The clock value of a save is `begunAt`, the time when its `begin` command ran, or the current
  /// time if `begunAt` is `nil`. A batch request always uses the current time. The store derives
  /// the timestamp from the clock value (``TimestampPolicy``).
  func write(
    _ write: PlannedWrite,
    begunAt: Date? = nil,
    _ objects: inout PlanObjects,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let author = author(write.author)
    // If the changes do not fit one batch request, a context named "batch" saves them.
    if write.context == PlannedWrite.batch, let batch = KeyedBatch(write.changes) {
      return batch.type == .insert
        ? try batchInsert(write, into: batch.entity, by: author, &objects, &log)
        : try changeByKey(batch, by: author, objects, &log)
    }
    let context =
      contexts.first { $0.name == write.context }
      ?? ObjectContext(
        store: store,
        author: author,
        name: contextName(write.context),
        mergePolicy: .objectWins
      )
    do throws(HistoryError) {
      let (edited, inserted) = try edit(write.changes, in: context, objects)
      objects.attempt(inserted)
      let policy = MergePolicy(write.policy)
      let (written, edits) = try context.saveReporting(
        author: .some(author),
        policy: write.usesClosure ? .error : policy,
        begunAt: begunAt,
        resolving: write.usesClosure ? policy.resolution(of:) : nil
      )
      for (name, id) in inserted { objects.enter(name, id) }
      guard !store.model.hasRelations else {
        let changes = try self.changes(of: written, objects)
        return report(written, author, write.context, changes, &log)
      }
      let values = Dictionary(uniqueKeysWithValues: edited.map { ($0.object, $0.values) })
      let changes = try edits.filter { $0.outcome != .leftOut && $0.outcome != .gone }
        .map { (edit) throws(HistoryError) in
          let name = objects.name(edit.id, in: store.model)
          if case .writtenOver(let columns) = edit.outcome, edit.type == .update {
            return Self.change(.update, name, try context.values(columns, of: edit.id))
          }
          return Self.change(edit.type, name, edit.type == .delete ? [:] : values[name] ?? [:])
        }
      report(written, author, write.context, changes, &log)
    } catch {
      context.rollback()
      throw SystemFailure(error)
    }
  }

  /// Applies planned changes to a context; changes of missing objects are skipped.
  ///
  /// - Returns: each edited object once, with the values that were set, and the identifiers of the
  ///   new objects by name.
  func edit(
    _ changes: [PlannedChange],
    in context: ObjectContext,
    _ objects: PlanObjects
  ) throws(HistoryError) -> (edited: [PlannedChange], inserted: [ObjectName: ObjectID]) {
    var edited: [ObjectName: PlannedChange] = [:]
    var fresh: [ObjectName: ObjectID] = [:]
    var awaited: [(id: ObjectID, attribute: String, destination: ObjectName)] = []
    let inserts = Set(changes.filter { $0.type == .insert }.map(\.object))
    func id(_ name: ObjectName) -> ObjectID? { fresh[name] ?? objects.id(name) }
    for planned in changes {
      var change = planned
      let destinations = references.destinations(planned.values, of: planned.object.entity)
      // References to objects that the write inserts later are not set before the end of this call.
      let later = destinations.filter { inserts.contains($0.1) && fresh[$0.1] == nil }
      for (attribute, _) in later { change.values[attribute] = nil }
      change.values = references.stored(change.values, of: change.object.entity, id)
      let known = fresh[change.object] ?? objects.id(change.object)
      var object: StoredObject?
      if let known { object = try present(known, in: context) }
      switch (change.type, object) {
      case (.insert, nil):
        let inserted = try context.insert(change.object.entity, change.values).id
        fresh[change.object] = inserted
        edited[change.object] = change
        awaited += later.map { (inserted, $0, $1) }
      case (.update, let object?):
        for (name, value) in change.values.sorted(by: { $0.key < $1.key }) {
          try object.set(value, for: name)
        }
        edited[change.object, default: change].values.merge(change.values) { $1 }
        awaited.removeAll { $0.id == object.id && planned.values[$0.attribute] != nil }
        awaited += later.map { (object.id, $0, $1) }
      case (.delete, let object?):
        object.delete()
      case (.insert, _?), (.update, nil), (.delete, nil): break
      }
    }
    for (object, attribute, destination) in awaited {
      guard let object = try context.object(object) else { continue }
      try object.set(.int(id(destination)?.key ?? -destination.key), for: attribute)
    }
    return (Array(edited.values), fresh)
  }

  /// Returns an object if its row is in the store or the context has inserted it; otherwise `nil`.
  private func present(
    _ id: ObjectID,
    in context: ObjectContext
  ) throws(HistoryError) -> StoredObject? {
    guard let object = try context.object(id) else { return nil }
    if context.isInserted(id) { return object }
    return try store.rows(id.entity, sortedKeys: [id.key]).keys.isEmpty ? nil : object
  }

  private func batchInsert(
    _ write: PlannedWrite,
    into entity: String,
    by author: String?,
    _ objects: inout PlanObjects,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    try mappingErrors { () throws(HistoryError) in
      var missing: [PlannedChange] = []
      for change in write.changes {
        guard !missing.contains(where: { $0.object == change.object }) else { continue }
        if let id = objects.id(change.object),
          try !store.rows(id.entity, sortedKeys: [id.key]).keys.isEmpty
        {
          continue
        }
        missing.append(change)
      }
      objects.attempt([:], awaitingKeys: missing.map(\.object))
      let stored = missing.map { change in
        var stored = change
        stored.values = references.stored(change.values, of: entity, objects.id)
        return stored
      }
      let result = try insert(stored, into: entity, by: author)
      for (change, id) in zip(missing, result.objectIDs) { objects.enter(change.object, id) }
      let changes =
        store.model.hasRelations
        ? try self.changes(of: result.transaction, objects)
        : missing.map { Self.change(.insert, $0.object, $0.values) }
      report(result.transaction, author, "batch", changes, &log)
    }
  }

  private func insert(
    _ changes: [PlannedChange],
    into entity: String,
    by author: String?
  ) throws(HistoryError) -> BatchResult {
    let description = store.model.number(of: entity).flatMap(store.model.entity)
    var next = changes.makeIterator()
    return try store.batchInsert(
      into: entity,
      by: BatchAuthor(author, contextName: batchContextName),
      result: .objectIDs
    ) { row in
      guard let change = next.next() else { return false }
      for (name, value) in change.values {
        guard let index = description?.index(of: name) else {
          throw HistoryError.unknownAttribute(name, of: entity, known: [])
        }
        row.set(value, at: index)
      }
      return true
    }
  }

  /// Starts a write that a later command commits: reads the clock, and acquires no lock.
  func begin(_ write: PlannedWrite) {
    staged = write
    begunAt = store.configuration.clock()
  }

  /// Makes and commits the write that ``begin(_:)`` has started.
  func commitStaged(
    _ objects: inout PlanObjects,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    guard let staged else { throw SystemFailure(.failed, "\(actor.id) has no open write.") }
    let begunAt = begunAt
    self.staged = nil
    self.begunAt = nil
    try write(staged, begunAt: begunAt, &objects, &log)
  }

  /// Updates or deletes objects by predicate, in one batch request.
  func batch(
    _ batch: PlannedBatch,
    _ objects: PlanObjects,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let author = author(batch.author)
    let by = BatchAuthor(author, contextName: batchContextName)
    let predicate = ObjectPredicate.all(
      batch.conditions.map { ObjectPredicate(references.stored($0, of: batch.entity, objects.id)) }
    )
    let values = references.stored(batch.values, of: batch.entity, objects.id)
    let result = try mappingErrors { () throws(HistoryError) in
      switch batch.type {
      case .update:
        try store.batchUpdate(
          batch.entity,
          where: predicate,
          set: values,
          by: by,
          result: .objectIDs
        )
      case .delete, .insert:
        try store.batchDelete(batch.entity, where: predicate, by: by, result: .objectIDs)
      }
    }
    guard !store.model.hasRelations else {
      return try reportRelated(result.transaction, author, objects, &log)
    }
    // Changes are sorted by the plan's names, because keys depend on the connection that assigned them.
    let changes = result.objectIDs.map { objects.name($0, in: store.model) }.sorted().map { name in
      Self.change(batch.type, name, batch.type == .update ? batch.values : [:])
    }
    report(result.transaction, author, "batch", changes, &log)
  }

  /// Logs the result of a batch request, with its changes as history contains them.
  func reportRelated(
    _ written: WrittenTransaction?,
    _ author: String?,
    _ objects: PlanObjects,
    _ log: inout EventLog
  ) throws(SystemFailure) {
    let changes = try mappingErrors { () throws(HistoryError) in
      try self.changes(of: written, objects)
    }
    report(written, author, PlannedWrite.batch, changes, &log)
  }

  /// Logs the committed transaction, or that the write changed nothing.
  func report(
    _ written: WrittenTransaction?,
    _ author: String?,
    _ context: String,
    _ changes: [CommittedChange],
    _ log: inout EventLog
  ) {
    guard let written else { return log.add(actor.id, .wroteNothing) }
    log.add(
      actor.id,
      .committed(
        CommittedTransaction(
          name: written.number.description,
          author: author,
          context: context,
          writer: "\(actor.id)/\(context)",
          timestamp: written.timestamp.timeIntervalSinceReferenceDate,
          changes: changes
        )
      )
    )
  }

  /// Returns a change in the form that traces contain.
  static func change(
    _ type: ChangeType,
    _ name: ObjectName,
    _ values: Values
  ) -> CommittedChange {
    CommittedChange(
      type,
      name,
      columns: type == .update ? values.keys.sorted() : [],
      values: values
    )
  }
}

extension ObjectContext {
  /// Returns the values that an object has for the attributes in a bit set, null values included.
  fileprivate func values(_ columns: UInt64, of id: ObjectID) throws(HistoryError) -> Values {
    let object = StoredObject(context: self, id: id)
    let names = store.model.entity(id.entity)?.names(in: columns) ?? []
    return Dictionary(uniqueKeysWithValues: zip(names, try object.values(of: names)))
  }
}
