import HistoryStore
import ObjectContexts
import PersistentHistory
import Traces

/// Writes by batch requests.
extension StressWriter {
  mutating func batchInsert() {
    batchInsert((0..<5).map { _ in values() }, into: StressModel.entity, by: .own)
  }

  mutating func batchInsert(
    _ rows: [Values],
    into entity: String,
    by author: WriteAuthor
  ) {
    // The store assigns the keys: until then the objects have names with negative keys.
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

  /// Deletes a bucket if there are many objects; inserts otherwise.
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

  /// Writes several transactions in a row under an author that another process ignores.
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

  /// Makes a batch request, and traces it.
  mutating func request(
    _ action: Action,
    _ type: ChangeType,
    _ author: WriteAuthor,
    columns: [String] = [],
    _ perform: (Store, BatchAuthor) throws -> BatchResult
  ) {
    let name: String? = if case .other(let other) = author { other } else { role.name }
    seams.beginWrite(Command(action))
    do {
      let result = try perform(view.store, BatchAuthor(name, contextName: "batch"))
      let told = result.objectIDs.map { CommittedChange(type, self.name($0), columns: columns) }
      end(result.transaction, "batch", name, told)
    } catch {
      fail(error)
    }
  }
}
