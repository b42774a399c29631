import Foundation
import HistoryStore
import Measuring
import ObjectContexts
import PersistentHistory
import Systems
import Traces

/// A writer that inserts, updates and deletes at random, through a view and by batch requests.
///
/// It traces each write before and after.
struct StressWriter {
  let role: StressRole
  let view: ObjectContext
  let seams: StressSeams
  var random: SeededRandom
  private var labels = 0

  /// The number of `Item` objects above which buckets are deleted.
  static let objectCountMax = 240
  static let noiseCountMax = 60

  init(_ role: StressRole, view: ObjectContext, seams: StressSeams) {
    self.role = role
    self.view = view
    self.seams = seams
    random = SeededRandom(seed: role.seed)
  }

  /// Returns a random pause before the next write, in seconds, whose mean keeps the rate.
  mutating func pause() -> Double {
    role.rate > 0 ? Double.random(in: 0...2, using: &random) / role.rate : 0
  }

  /// Makes one random write, or several in a row; failures are traced.
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

  /// Returns new values; the title identifies the process, the life and the write.
  mutating func values() -> Values {
    labels += 1
    return [
      "title": .string("\(role.name).\(role.life)/\(labels)"), "count": .int(number()),
      "bucket": .int(bucket()),
    ]
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
      let values: Values = ["count": .int(writer.number())]
      do {
        for (name, value) in values { try object.set(value, for: name) }
      } catch let error as HistoryError where error.code == .unknownObject {
        // A delete by another process was merged in the meantime.
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
      fatalError("the model of stress runs has no \(entity): \(error)")
    }
  }

  /// Saves the edits that a closure makes in the view.
  private mutating func save(_ edit: (inout StressWriter) throws -> [PlannedChange]) {
    let changes: [PlannedChange]
    do { changes = try edit(&self) } catch {
      view.rollback()
      return seams.noteFailedEdit(failure(error))
    }
    guard !changes.isEmpty else { return }
    seams.beginWrite(Command(.write(PlannedWrite(actor: role.id, changes: changes))))
    do {
      let (written, edits) = try view.saveReporting()
      end(written, "view", role.name, told(edits, changes))
    } catch {
      view.rollback()
      fail(error)
    }
  }

  /// Returns the changes that took effect.
  private func told(_ edits: [SavedEdit], _ changes: [PlannedChange]) -> [CommittedChange] {
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
    guard let written else { return seams.endWrite(.wroteNothing, .ok) }
    let transaction = CommittedTransaction(
      name: String(written.number),
      author: author,
      context: context,
      writer: "\(role.name)/\(context)",
      timestamp: written.timestamp.timeIntervalSinceReferenceDate,
      changes: changes
    )
    seams.endWrite(.committed(transaction), .ok)
  }

  /// Traces a failed write; with a faulty disk it may have taken effect nevertheless.
  func fail(_ error: any Error) {
    let failure = failure(error)
    guard role.disk != nil, let number = seams.number else {
      return seams.endWrite(nil, .failed(failure))
    }
    guard let found = look(for: number) else { return seams.endWrite(nil, .unknown(failure)) }
    guard let transaction = found, isOurs(transaction) else {
      return seams.endWrite(nil, .failed(failure))
    }
    let told = CommittedTransaction(view.store.model, transaction, writer: role.name)
    seams.endWrite(.committed(told), .unknown(failure))
  }

  private func failure(_ error: any Error) -> SystemFailure {
    (error as? HistoryError).map(SystemFailure.init) ?? SystemFailure(.failed, "\(error)")
  }

  /// Returns the transaction of a number in history; an inner `nil` if history has none.
  ///
  /// Retries until history can be read; the outer `nil` means that this failed for about 5 seconds.
  private func look(for number: Int64) -> HistoryTransaction?? {
    for _ in 0..<Self.lookCountMax {
      do { return .some(try view.store.transaction(number)) } catch { usleep(20_000) }
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
