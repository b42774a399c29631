public import PersistentHistory
import SQLiteStorage

/// What a batch request did (Core Data: `NSBatchInsertResult` and its like).
public struct BatchResult: Sendable, Hashable {
  /// The transaction, or nothing when no object matched.
  public let transaction: WrittenTransaction?
  /// The objects that were inserted, updated or deleted, in key order for updates and deletes.
  public let objectIDs: [ObjectID]
}

/// Under whose name a batch request is written.
public struct BatchAuthor: Sendable, Hashable {
  /// The author, or nothing.
  public var author: String?
  /// The name of the context, or nothing.
  public var contextName: String?

  /// Creates the name of a batch request's writer.
  public init(_ author: String?, contextName: String? = nil) {
    self.author = author
    self.contextName = contextName
  }
}

extension Store {
  /// Inserts rows that a closure sets one by one until it answers false, as one transaction
  /// (Core Data: `NSBatchInsertRequest` with a dictionary handler).
  ///
  /// The closure runs inside the write: a request to the same store from there is refused.
  ///
  /// - Throws: ``HistoryError`` when a value does not fit or SQLite fails, and
  ///   ``HistoryError/stopped(_:)`` when the closure throws; nothing is written then.
  /// - Complexity: one statement a row and one or two for the history.
  public func batchInsert(
    into entityName: String,
    by author: BatchAuthor,
    _ next: (inout RowWriter) throws -> Bool
  ) throws(HistoryError) -> BatchResult {
    try locked { core in
      let (number, entity) = try core.entity(entityName)
      var ids: [ObjectID] = []
      let written = try core.writeTransaction(by: author.authorship) { version, packer in
        let statement = try core.table(number).insert(core.connection)
        var row = RowWriter(statement, entity)
        var keys = core.keys[Int(number) - 1]
        defer { core.keys[Int(number) - 1] = keys }
        do {
          while try next(&row) {
            let key = try core.nextKey(number, from: &keys)
            try row.write(key: key, version: version)
            packer.insert(number, key)
            ids.append(ObjectID(entity: number, key: key))
          }
        } catch {
          row.finish()
          throw error
        }
        row.finish()
      }
      return BatchResult(transaction: written, objectIDs: ids)
    }
  }

  /// Sets attributes of every object that matches, as one transaction
  /// (Core Data: `NSBatchUpdateRequest`).
  ///
  /// - Throws: ``HistoryError`` when a name or value does not fit or SQLite fails.
  /// - Complexity: a scan of the entity, and a row for each object that matches.
  public func batchUpdate(
    _ entityName: String,
    where predicate: ObjectPredicate? = nil,
    set values: [String: Value],
    by author: BatchAuthor
  ) throws(HistoryError) -> BatchResult {
    try locked { core in
      let (number, entity) = try core.entity(entityName)
      let columns = try core.columns(of: values, in: entity)
      var ids: [ObjectID] = []
      let written = try core.writeTransaction(by: author.authorship) { version, packer in
        guard columns.bits != 0 else { return }
        ids = try core.matching(predicate, in: entity, number)
        let row = try core.table(number).update(columns.bits, core.connection)
        row.statement.bind(version, at: 2)
        row.statement.bindNull(at: 3)
        for (offset, value) in columns.values.enumerated() {
          row.statement.bind(value, at: Int32(offset) + 4)
        }
        for id in ids {
          row.statement.bind(id.key, at: 1)
          try row.statement.run()
          packer.update(number, id.key, columns.bits)
        }
      }
      return BatchResult(transaction: written, objectIDs: ids)
    }
  }

  /// Deletes every object that matches, as one transaction (Core Data: `NSBatchDeleteRequest`).
  ///
  /// - Throws: ``HistoryError`` when a name or value does not fit or SQLite fails.
  /// - Complexity: a scan of the entity, and two rows for each object that matches.
  public func batchDelete(
    _ entityName: String,
    where predicate: ObjectPredicate? = nil,
    by author: BatchAuthor
  ) throws(HistoryError) -> BatchResult {
    try locked { core in
      let (number, entity) = try core.entity(entityName)
      var ids: [ObjectID] = []
      let written = try core.writeTransaction(by: author.authorship) { _, packer in
        ids = try core.matching(predicate, in: entity, number)
        let table = try core.table(number)
        let tombstone = try table.tombstone(core.connection)
        let row = try table.delete(core.connection)
        for id in ids {
          tombstone.statement.bind(id.key, at: 1)
          guard try tombstone.statement.step() else { continue }
          packer.delete(
            number,
            id.key,
            preserved: entity.preserved,
            in: tombstone.statement,
            from: 1
          )
          tombstone.statement.reset()
          row.statement.bind(id.key, at: 1)
          try row.statement.run()
        }
      }
      return BatchResult(transaction: written, objectIDs: ids)
    }
  }
}

extension BatchAuthor {
  var authorship: Authorship { Authorship(author: author, contextName: contextName) }
}

extension StoreCore {
  /// The bits and values of attributes to set, in the entity's order.
  fileprivate func columns(
    of values: [String: Value],
    in entity: Entity
  ) throws -> (bits: UInt64, values: [Value]) {
    var bits: UInt64 = 0
    for name in values.keys.sorted() {
      guard let index = entity.index(of: name) else {
        throw HistoryError.unknownAttribute(entity: entity.name, attribute: name)
      }
      bits |= 1 << UInt64(index)
    }
    let ordered = try entity.names(in: bits).map { name in
      let value = values[name] ?? .null
      if let index = entity.index(of: name) {
        try check(value, of: entity.attributes[index], in: entity)
      }
      return value
    }
    return (bits, ordered)
  }

  /// The objects that match, in key order.
  func matching(
    _ predicate: ObjectPredicate?,
    in entity: Entity,
    _ number: Int32
  ) throws -> [ObjectID] {
    let compiled = try compile(predicate, over: entity, from: 1)
    let query = try query(
      "SELECT _key FROM \"\(entity.name)\" WHERE \(compiled.sql) ORDER BY _key"
    )
    for (offset, value) in compiled.values.enumerated() {
      query.statement.bind(value, at: Int32(offset) + 1)
    }
    defer { query.statement.reset() }
    var ids: [ObjectID] = []
    while try query.statement.step() {
      ids.append(ObjectID(entity: number, key: query.statement.int(0)))
    }
    return ids
  }
}
