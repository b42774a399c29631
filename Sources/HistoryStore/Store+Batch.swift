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
  /// - Complexity: a scan of the entity, without a query a row.
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
        let collector = try core.collector()
        let row = try core.updateAll(entity, columns.bits, where: predicate, columns.values)
        ids = try collector.collect(
          number,
          columns: columns.bits,
          version: version,
          into: &packer,
          row.statement
        )
      }
      return BatchResult(transaction: written, objectIDs: ids)
    }
  }

  /// Deletes every object that matches, as one transaction (Core Data: `NSBatchDeleteRequest`).
  ///
  /// - Throws: ``HistoryError`` when a name or value does not fit or SQLite fails.
  /// - Complexity: a scan of the entity, without a query a row.
  public func batchDelete(
    _ entityName: String,
    where predicate: ObjectPredicate? = nil,
    by author: BatchAuthor
  ) throws(HistoryError) -> BatchResult {
    try locked { core in
      let (number, entity) = try core.entity(entityName)
      var ids: [ObjectID] = []
      let written = try core.writeTransaction(by: author.authorship) { _, packer in
        let collector = try core.collector()
        let row = try core.deleteAll(entity, where: predicate)
        ids = try collector.collect(
          number,
          columns: entity.preserved,
          into: &packer,
          row.statement
        )
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

  /// The statement that updates the rows that match and collects them, its values bound.
  fileprivate func updateAll(
    _ entity: Entity,
    _ columns: UInt64,
    where predicate: ObjectPredicate?,
    _ values: [Value]
  ) throws -> PreparedStatement {
    let sets = entity.names(in: columns).enumerated().map { ", \"\($1)\" = ?\($0 + 1)" }
    let compiled = try compile(predicate, over: entity, from: values.count + 1)
    let row = try query(
      """
      UPDATE "\(entity.name)" SET _version = history_update(_key)\(sets.joined())
      WHERE \(compiled.sql)
      """
    )
    bind(values + compiled.values, to: row)
    return row
  }

  /// The statement that deletes the rows that match and collects them, its values bound.
  fileprivate func deleteAll(
    _ entity: Entity,
    where predicate: ObjectPredicate?
  ) throws -> PreparedStatement {
    let compiled = try compile(predicate, over: entity, from: 1)
    let preserved = entity.names(in: entity.preserved).map { ", \"\($0)\"" }.joined()
    // Terms joined by AND come in any order; a CASE comes in its own.
    let row = try query(
      """
      DELETE FROM "\(entity.name)"
      WHERE CASE WHEN \(compiled.sql) THEN history_delete(_key\(preserved)) END
      """
    )
    bind(compiled.values, to: row)
    return row
  }

  private func bind(_ values: [Value], to row: PreparedStatement) {
    for (offset, value) in values.enumerated() {
      row.statement.bind(value, at: Int32(offset) + 1)
    }
  }
}
