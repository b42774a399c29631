import DiskScripts
import HistoryStore
import HistoryTypes
import ObjectContexts
import Traces

/// The live queries of a process, at most ``PlannedWatch/countMax``.
struct LiveLists {
  fileprivate var copies: [LiveCopy] = []
  /// The number of live queries that the process has started.
  fileprivate var startedCount = 0

  var isEmpty: Bool { startedCount == 0 }
}

/// A live query, and a copy of its result that is updated only by the reported differences.
private struct LiveCopy {
  let number: Int
  private let reader: LiveReader
  private var ids: [ObjectID] = []
  private var values: [ObjectID: Values] = [:]
  /// Whether an error has ended the live query.
  private(set) var isOver = false

  init(_ number: Int, _ reader: LiveReader) {
    self.number = number
    self.reader = reader
  }

  /// Applies the query's next differences to this copy of the query's result.
  ///
  /// - Returns: a report of the differences and of the changed copy, or of the error that ends the
  ///   query; `nil` if the query has no new result.
  mutating func next(in process: PlanProcess, _ objects: PlanObjects) -> LiveReport? {
    do throws(HistoryError) {
      guard case .result(let result) = try reader.evaluate() else { return nil }
      return try apply(result, process, objects)
    } catch {
      isOver = true
      return LiveReport(list: number, failure: error.description)
    }
  }

  private mutating func apply(
    _ result: LiveResult,
    _ process: PlanProcess,
    _ objects: PlanObjects
  ) throws(HistoryError) -> LiveReport {
    var report = LiveReport(list: number)
    var stale = result.updated
    for change in result.difference {
      switch change {
      case .remove(let offset, _, _): report.removed.append(offset)
      case .insert(let offset, let id, _):
        report.inserted.append(offset)
        stale.insert(id)
      }
    }
    // If the differences do not fit the copy, the report contradicts itself, which a checker notices.
    ids = ids.applying(result.difference) ?? result.objectIDs
    for id in ids where stale.contains(id) || values[id] == nil {
      values[id] = try process.listedValues(of: id, objects)
    }
    report.removed.sort()
    report.inserted.sort()
    report.updated = result.updated.map { process.listedName(of: $0, objects) }.sorted()
    report.rows = ids.map { id in
      ListedRow(process.listedName(of: id, objects), key: id.key, values[id] ?? [:])
    }
    return report
  }
}

extension PlanProcess {
  /// Starts a live query in the actor's view, and ends the oldest one if there are too many.
  ///
  /// The new query's first result is reported after the command.
  func watch(_ watch: PlannedWatch, _ objects: PlanObjects) throws(SystemFailure) {
    let conditions = watch.conditions.map { condition in
      ObjectPredicate(references.stored(condition, of: watch.entity, objects.id))
    }
    let live = try mappingErrors { () throws(HistoryError) in
      try contexts[0].liveObjects(
        watch.entity,
        where: conditions.isEmpty ? nil : .all(conditions),
        sortedBy: watch.orders.map { ObjectOrder($0.attribute, isAscending: $0.isAscending) },
        limit: watch.limit
      )
    }
    guard let reader = live.makeAsyncIterator().reader else { return }
    lists.startedCount += 1
    lists.copies.append(LiveCopy(lists.startedCount, reader))
    if lists.copies.count > PlannedWatch.countMax { lists.copies.removeFirst() }
  }

  /// Logs a report of each live query whose result has changed since its last report.
  ///
  /// This function reads the results synchronously. In an app, asynchronous tasks read them later.
  func reportLists(_ objects: PlanObjects, _ log: inout EventLog) {
    guard !lists.copies.isEmpty, !store.isSuspended else { return }
    for index in lists.copies.indices {
      if let report = lists.copies[index].next(in: self, objects) {
        log.add(actor.id, .listed(report))
      }
    }
    lists.copies.removeAll(where: \.isOver)
  }

  /// Returns the plan's name of an object, which consists of an entity and a key.
  ///
  /// If the plan has no name for the object, or now uses its name for another object, the returned
  /// key is negative.
  fileprivate func listedName(of id: ObjectID, _ objects: PlanObjects) -> ObjectName {
    let name = objects.name(id, in: store.model)
    return objects.id(name) == id ? name : ObjectName(name.entity, -abs(name.key))
  }

  /// Returns an object's values in the actor's view (its first context), without null values.
  ///
  /// A reference has the key that the plan gives to its object, instead of the key in the store.
  fileprivate func listedValues(
    of id: ObjectID,
    _ objects: PlanObjects
  ) throws(HistoryError) -> Values {
    guard let entity = store.model.entity(id.entity), let object = try contexts[0].object(id)
    else { return [:] }
    let row = try object.values(of: entity.attributes.map(\.name))
    return entity.values(references.planned(row[...], of: entity, objects, in: store.model))
  }
}

extension ProcessHost {
  /// Starts a live query in an actor's process.
  func watch(_ watch: PlannedWatch) throws(SystemFailure) {
    try process(watch.actor).process.watch(watch, try planStore().objects)
  }

  /// Logs the reports of the live queries of an actor's process, if the actor is running.
  func reportLists(of actor: ActorID, _ log: inout EventLog) {
    guard let process = running[actor]?.process, !process.lists.isEmpty,
      let objects = try? planStore().objects
    else { return }
    process.reportLists(objects, &log)
  }
}
