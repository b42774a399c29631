public import PersistentHistory
import SQLiteStorage

extension Store {
  /// Inserts rows that a closure sets one by one until it answers false, as one transaction
  /// (Core Data: `NSBatchInsertRequest` with a dictionary handler).
  ///
  /// The closure runs inside the write: a request to the same store from there is refused.
  ///
  /// - Throws: ``HistoryError`` when a value does not fit or SQLite fails, and
  ///   ``HistoryError/stopped(_:)`` when the closure throws; nothing is written then.
  /// - Complexity: one statement a row and one or two for the history.
  @discardableResult
  public func batchInsert(
    into entityName: String,
    by author: BatchAuthor,
    result type: BatchResultType = .status,
    _ next: (inout RowWriter) throws -> Bool
  ) throws(HistoryError) -> BatchResult {
    try locked { core in
      let (number, entity) = try core.entity(entityName)
      var objects = TouchedObjects(type)
      let outcome = try core.writeChanges(by: author.authorship) { version, packer in
        let statement = try core.table(number).insert(core.connection)
        var row = RowWriter(statement, entity, from: 3)
        var keys = core.keys[Int(number) - 1]
        defer { core.keys[Int(number) - 1] = keys }
        do {
          while try next(&row) {
            let key = try core.nextKey(number, from: &keys)
            try row.write(key: key, version: version)
            packer.insert(number, key)
            objects.note(number, key)
          }
        } catch {
          row.finish()
          throw error
        }
        row.finish()
      }
      return BatchResult(outcome, objects.ids)
    }
  }

  /// Inserts one object for each set of values by attribute name, as one transaction
  /// (Core Data: `NSBatchInsertRequest` with objects); what is not named is null.
  ///
  /// - Throws: ``HistoryError`` when a name or value does not fit or SQLite fails; nothing is written
  ///   then.
  /// - Complexity: one statement a row and one or two for the history.
  @discardableResult
  public func batchInsert(
    into entityName: String,
    _ objects: some Sequence<[String: Value]>,
    by author: BatchAuthor,
    result type: BatchResultType = .status
  ) throws(HistoryError) -> BatchResult {
    guard let entity = model.number(of: entityName).flatMap(model.entity) else {
      throw .unknownEntity(entityName)
    }
    var rest = objects.makeIterator()
    return try batchInsert(into: entityName, by: author, result: type) { row in
      guard let values = rest.next() else { return false }
      for (name, value) in values {
        guard let index = entity.index(of: name) else {
          throw HistoryError.unknownAttribute(entity: entityName, attribute: name)
        }
        row.set(value, at: index)
      }
      return true
    }
  }

  /// Sets attributes of every object that matches, as one transaction
  /// (Core Data: `NSBatchUpdateRequest`).
  ///
  /// - Throws: ``HistoryError`` when a name, a value or the predicate does not fit, or SQLite fails.
  /// - Complexity: one statement, which scans the entity; memory for the keys that match.
  @discardableResult
  public func batchUpdate(
    _ entityName: String,
    where predicate: ObjectPredicate? = nil,
    set values: [String: Value],
    by author: BatchAuthor,
    result type: BatchResultType = .status
  ) throws(HistoryError) -> BatchResult {
    try locked { core in
      let (number, entity) = try core.entity(entityName)
      let columns = try core.columns(of: values, in: entity)
      var objects = TouchedObjects(type)
      let compiled = try core.compile(predicate, over: entity, from: columns.values.count + 2)
      let outcome = try core.writeChanges(by: author.authorship) { version, packer in
        guard columns.bits != 0 else { return }
        let sets = entity.names(in: columns.bits).enumerated().map { ", \"\($1)\" = ?\($0 + 2)" }
        let row = try core.query(
          """
          UPDATE "\(entityName)" SET _version = ?1\(sets.joined())
          WHERE \(compiled.sql) RETURNING _key
          """
        )
        row.statement.bind(version, at: 1)
        for (offset, value) in columns.values.enumerated() {
          row.statement.bind(value, at: Int32(offset) + 2)
        }
        core.bind(compiled, to: row, from: columns.values.count + 2)
        defer { row.statement.reset() }
        while try row.statement.step() {
          let key = row.statement.int(0)
          packer.update(number, key, columns.bits)
          objects.note(number, key)
        }
      }
      return BatchResult(outcome, objects.ids)
    }
  }

  /// Deletes every object that matches, as one transaction (Core Data: `NSBatchDeleteRequest`).
  ///
  /// - Throws: ``HistoryError`` when a name, a value or the predicate does not fit, or SQLite fails.
  /// - Complexity: one statement, which scans the entity; memory for the keys and tombstones.
  @discardableResult
  public func batchDelete(
    _ entityName: String,
    where predicate: ObjectPredicate? = nil,
    by author: BatchAuthor,
    result type: BatchResultType = .status
  ) throws(HistoryError) -> BatchResult {
    try locked { core in
      let (number, entity) = try core.entity(entityName)
      let compiled = try core.compile(predicate, over: entity, from: 1)
      var objects = TouchedObjects(type)
      let outcome = try core.writeChanges(by: author.authorship) { _, packer in
        let row = try core.query(
          """
          DELETE FROM "\(entityName)" WHERE \(compiled.sql)
          RETURNING _key\(try core.table(number).preservedList)
          """
        )
        core.bind(compiled, to: row, from: 1)
        defer { row.statement.reset() }
        while try row.statement.step() {
          let key = row.statement.int(0)
          packer.delete(number, key, preserved: entity.preserved, in: row.statement, from: 1)
          objects.note(number, key)
        }
      }
      return BatchResult(outcome, objects.ids)
    }
  }
}

extension StoreCore {
  /// The bits and values of attributes to set, in the entity's order.
  fileprivate func columns(
    of values: [String: Value],
    in entity: Entity
  ) throws -> (bits: UInt64, values: [Value]) {
    let bits = try entity.columns(values.keys.sorted())
    let ordered = try entity.names(in: bits).map { name in
      let value = values[name] ?? .null
      if let index = entity.index(of: name) {
        try check(value, of: entity.attributes[index], in: entity)
      }
      return value
    }
    return (bits, ordered)
  }
}

extension Entity {
  /// The bits of the attributes with some names.
  func columns(_ names: some Sequence<String>) throws(HistoryError) -> UInt64 {
    var bits: UInt64 = 0
    for name in names {
      guard let index = index(of: name) else {
        throw .unknownAttribute(entity: self.name, attribute: name)
      }
      bits |= 1 << UInt64(index)
    }
    return bits
  }
}
