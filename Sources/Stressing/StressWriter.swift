import Basics
import Foundation
import HistoryStore
import HistoryTypes
import ObjectContexts
import Systems
import Traces

/// The writer of a stress process: random inserts, updates and deletes, by saves and batch requests.
///
/// The writer records the start and the outcome of each write in the trace.
struct StressWriter {
  let role: StressRole
  let view: ObjectContext
  let hooks: StressHooks
  var random: SplitMix64
  private var labels = 0

  /// The number of `Item` objects above which the writer deletes all objects with one value of `bucket`.
  static let objectCountMax = 240
  static let noiseCountMax = 60

  /// Whether the program has the newer version of the model.
  private var knowsNewAttribute: Bool { !role.header.isOlder(role.id) }

  init(_ role: StressRole, view: ObjectContext, hooks: StressHooks) {
    self.role = role
    self.view = view
    self.hooks = hooks
    random = SplitMix64(seed: role.seed)
  }

  /// Returns a random pause before the next write, in seconds; the mean pause is 1 / rate.
  mutating func pause() -> Double {
    role.rate > 0 ? Double.random(in: 0...2, using: &random) / role.rate : 0
  }

  /// Makes one random write, or several in a row; failures are recorded in the trace.
  mutating func write() {
    let choices = role.isNoisy ? 11 : 10
    switch Int.random(in: 0..<choices, using: &random) {
    case 0..<3: insert()
    case 3..<6: update()
    case 6: delete()
    case 7: batchInsert()
    case 8: batchUpdate()
    case 9: thinOut()
    default: makeNoise()
    }
  }

  // MARK: Values

  mutating func number() -> Int64 { Int64.random(in: 0..<1_000_000, using: &random) }

  mutating func bucket() -> Int64 {
    Int64.random(in: 0..<StressModel.bucketCount, using: &random)
  }

  /// Returns random values for an object, with a unique `title`.
  ///
  /// The title consists of the actor's name, the number of the actor's earlier processes, and the
  /// number of this call.
  mutating func values() -> Values {
    labels += 1
    var values: Values = [
      "title": .string("\(role.name).\(role.life)/\(labels)"), "count": .int(number()),
      "bucket": .int(bucket()),
    ]
    if knowsNewAttribute, Bool.random(using: &random) {
      values[StressModel.newAttribute] = .int(Int64.random(in: 0...5, using: &random))
    }
    return values
  }

  func name(_ id: ObjectID) -> ObjectName {
    ObjectName(view.store.model.entity(id.entity)?.name ?? "?", id.key)
  }

  // MARK: The view

  /// Inserts one to three objects, which all other processes must merge.
  mutating func insert() {
    save { writer in
      var changes: [PlannedChange] = []
      for _ in 0..<Int.random(in: 1...3, using: &writer.random) {
        let values = writer.values()
        let object = try writer.view.insert(StressModel.entity, values)
        changes.append(PlannedChange(.insert, writer.name(object.id), values))
      }
      return changes
    }
  }

  private mutating func update() {
    save { writer in
      guard let object = writer.objects(StressModel.entity).randomElement(using: &writer.random)
      else { return [] }
      let isNew = writer.knowsNewAttribute && Bool.random(using: &writer.random)
      let values: Values = [isNew ? StressModel.newAttribute : "count": .int(writer.number())]
      do {
        for (name, value) in values { try object.set(value, for: name) }
      } catch let error as HistoryError where error.code == .unknownObject {
        // The object was deleted by another process, and the delete was merged meanwhile.
        return []
      }
      return [PlannedChange(.update, writer.name(object.id), values)]
    }
  }

  private mutating func delete() {
    save { writer in
      guard let object = writer.objects(StressModel.entity).randomElement(using: &writer.random)
      else { return [] }
      object.delete()
      return [PlannedChange(.delete, writer.name(object.id))]
    }
  }

  func objects(_ entity: String) -> [StoredObject] {
    do { return try view.registeredObjects(entity) } catch {
      fatalError("The model of stress runs must have the entity \(entity): \(error)")
    }
  }

  /// Saves the edits that a closure makes in the context ``view``.
  private mutating func save(_ edit: (inout StressWriter) throws -> [PlannedChange]) {
    let changes: [PlannedChange]
    do { changes = try edit(&self) } catch {
      view.rollback()
      return hooks.noteFailedEdit(failure(error))
    }
    guard !changes.isEmpty else { return }
    let command = Command(.write(PlannedWrite(actor: role.id, changes: changes)))
    do {
      let (written, edits) = try hooks.write(command) { try view.saveReporting() }
      end(written, "view", role.name, reported(edits, changes))
    } catch {
      view.rollback()
      fail(error)
    }
  }

  /// Returns the changes that took effect.
  private func reported(_ edits: [SavedEdit], _ changes: [PlannedChange]) -> [CommittedChange] {
    let values = Dictionary(changes.map { ($0.object, $0.values) }) { $1 }
    return edits.filter { $0.outcome != .leftOut && $0.outcome != .gone }
      .map { edit in
        let name = name(edit.id)
        let columns = edit.type == .update ? values[name]?.keys.sorted() ?? [] : []
        return CommittedChange(edit.type, name, columns: columns)
      }
  }

  // MARK: Outcomes

  func end(
    _ written: WrittenTransaction?,
    _ context: String,
    _ author: String?,
    _ changes: [CommittedChange]
  ) {
    guard let written else { return hooks.endWrite(.wroteNothing, .ok) }
    let transaction = CommittedTransaction(
      name: written.number.description,
      author: author,
      context: context,
      writer: "\(role.name)/\(context)",
      timestamp: written.timestamp.timeIntervalSinceReferenceDate,
      changes: changes
    )
    hooks.endWrite(.committed(transaction), .ok)
  }

  /// Records a failed write in the trace; with a faulty disk the write may have taken effect anyway.
  func fail(_ error: any Error) {
    let failure = failure(error)
    guard role.disk != nil, let number = hooks.number else {
      return hooks.endWrite(nil, .failed(failure))
    }
    guard let found = look(for: number) else { return hooks.endWrite(nil, .unknown(failure)) }
    guard let transaction = found, isOurs(transaction) else {
      return hooks.endWrite(nil, .failed(failure))
    }
    let reported = CommittedTransaction(view.store.model, transaction, writer: role.name)
    hooks.endWrite(.committed(reported), .unknown(failure))
  }

  private func failure(_ error: any Error) -> SystemFailure {
    (error as? HistoryError).map(SystemFailure.init) ?? SystemFailure(.failed, "\(error)")
  }

  /// Returns the transaction with a number; `.some(nil)` if history does not contain it.
  ///
  /// Retries until history can be read, and returns `nil` after about 5 seconds of failures.
  private func look(for number: Int64) -> HistoryTransaction?? {
    for _ in 0..<Self.lookCountMax {
      do { return .some(try view.store.transaction(TransactionNumber(number))) } catch {
        usleep(20_000)
      }
    }
    return nil
  }

  private static let lookCountMax = 250

  /// Returns whether this process wrote a transaction.
  func isOurs(_ transaction: HistoryTransaction) -> Bool {
    transaction.author == role.name
      || (role.isNoisy && transaction.author == StressModel.noiseAuthor)
  }
}

/// The writes that are made with batch requests, not by saving a context.
extension StressWriter {
  mutating func batchInsert() {
    batchInsert((0..<5).map { _ in values() }, into: StressModel.entity, by: .own)
  }

  mutating func batchInsert(
    _ rows: [Values],
    into entity: String,
    by author: WriteAuthor
  ) {
    // The objects have names with negative keys until the store assigns their keys.
    let changes = rows.enumerated().map { index, values in
      PlannedChange(.insert, ObjectName(entity, -Int64(index) - 1), values)
    }
    var write = PlannedWrite(actor: role.id, context: "batch", changes: changes)
    write.author = author
    request(.write(write), .insert, author) { store, by in
      try store.batchInsert(into: entity, rows, by: by, result: .objectIDs)
    }
  }

  mutating func batchUpdate() {
    let bucket = Value.int(bucket())
    let values: Values = ["count": .int(number())]
    var batch = PlannedBatch(
      actor: role.id,
      type: .update,
      entity: StressModel.entity,
      conditions: [PlannedCondition("bucket", .equal, bucket)]
    )
    batch.values = values
    request(.batch(batch), .update, .own, columns: values.keys.sorted()) { store, by in
      try store.batchUpdate(
        StressModel.entity,
        where: .compare("bucket", .equal, bucket),
        set: values,
        by: by,
        result: .objectIDs
      )
    }
  }

  /// Deletes all objects with one value of `bucket` if there are too many; otherwise inserts objects.
  mutating func thinOut() {
    guard objects(StressModel.entity).count > Self.objectCountMax else { return insert() }
    let bucket = Value.int(bucket())
    let batch = PlannedBatch(
      actor: role.id,
      type: .delete,
      entity: StressModel.entity,
      conditions: [PlannedCondition("bucket", .equal, bucket)]
    )
    request(.batch(batch), .delete, .own) { store, by in
      try store.batchDelete(
        StressModel.entity,
        where: .compare("bucket", .equal, bucket),
        by: by,
        result: .objectIDs
      )
    }
  }

  /// Writes several transactions in a row under ``StressModel/noiseAuthor``.
  mutating func makeNoise() {
    let author = WriteAuthor.other(StressModel.noiseAuthor)
    for _ in 0..<Int.random(in: 4...12, using: &random) {
      batchInsert([["count": .int(number())]], into: StressModel.noise, by: author)
    }
    guard objects(StressModel.noise).count > Self.noiseCountMax else { return }
    var batch = PlannedBatch(
      actor: role.id,
      type: .delete,
      entity: StressModel.noise,
      conditions: []
    )
    batch.author = author
    request(.batch(batch), .delete, author) { store, by in
      try store.batchDelete(StressModel.noise, by: by, result: .objectIDs)
    }
  }

  /// Makes a batch request, and records it in the trace.
  mutating func request(
    _ action: Action,
    _ type: ChangeType,
    _ author: WriteAuthor,
    columns: [String] = [],
    _ perform: (Store, BatchAuthor) throws -> BatchResult
  ) {
    let name: String? = if case .other(let other) = author { other } else { role.name }
    do {
      let result = try hooks.write(Command(action)) {
        try perform(view.store, BatchAuthor(name, contextName: "batch"))
      }
      let reported = result.objectIDs.map { CommittedChange(type, self.name($0), columns: columns) }
      end(result.transaction, "batch", name, reported)
    } catch {
      fail(error)
    }
  }
}
