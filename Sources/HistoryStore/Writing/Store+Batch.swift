public import HistoryTypes
import SQLiteStorage

extension Store {
  /// Inserts a row for each call of a closure that returns `true`, as one transaction.
  ///
  /// The first call that returns `false` ends the request, and inserts no row. The closure runs
  /// inside the write: a request to the same store from within the closure fails.
  ///
  /// Core Data: `NSBatchInsertRequest` with a dictionary handler, which returns `true` at the end.
  ///
  /// - Parameters:
  ///   - entityName: The name of the entity.
  ///   - author: The author and the context name that history records.
  ///   - type: The part of the outcome to return. The default is ``BatchResultType/status``.
  ///   - next: The closure, which sets the values of the next row and returns `true`, or returns
  ///     `false` at the end.
  /// - Returns: The transaction, and the number of inserted or changed objects.
  /// - Throws: ``HistoryError`` if a value does not fit or SQLite fails, and
  ///   ``HistoryError/Code/stopped`` if the closure throws; the store is then not changed.
  /// - Complexity: one statement for up to 256 rows. The history takes about one statement for each
  ///   32 KB of changes, or one for each change in the layout `coreData`.
  @discardableResult
  public func batchInsert(
    into entityName: String,
    by author: BatchAuthor,
    result type: BatchResultType = .status,
    _ next: (inout RowWriter) throws -> Bool
  ) throws(HistoryError) -> BatchResult {
    try locked { core in
      let table = try core.table(entityName)
      let outcome = try core.writeChanges(by: author.authorship, type) { version, packer in
        try core.insert(into: table, version, &packer, next)
      }
      return BatchResult(outcome)
    }
  }

  /// Inserts one object for each dictionary of values by attribute name, as one transaction.
  ///
  /// Core Data: `NSBatchInsertRequest` with objects. Attributes that are not named get their default
  /// values.
  ///
  /// If the store has an object with the same unique values as an inserted one, the request fails under
  /// the policy `error`. Under the other merge policies, the store's object stays. It gets the inserted
  /// values if the policy is `objectWins` or `overwrite`.
  ///
  /// - Parameters:
  ///   - entityName: The name of the entity.
  ///   - objects: The values of each object, by attribute name.
  ///   - author: The author and the context name that history records.
  ///   - type: The part of the outcome to return. The default is ``BatchResultType/status``.
  ///   - mergePolicy: The handling of objects with the same unique values. The default is
  ///     ``MergePolicy/error``.
  /// - Returns: The transaction, and the number of inserted or changed objects.
  /// - Throws: ``HistoryError`` when a name or value does not fit or SQLite fails; the store is not
  ///   changed then.
  /// - Complexity: under the policy `error`, one statement for up to 256 objects; under other
  ///   policies, one statement for each object and a few for each duplicate. The history takes about
  ///   one statement for each 32 KB of changes, or one for each change in the layout `coreData`.
  @discardableResult
  public func batchInsert(
    into entityName: String,
    _ objects: some Sequence<[String: Value]>,
    by author: BatchAuthor,
    result type: BatchResultType = .status,
    mergePolicy: MergePolicy = .error
  ) throws(HistoryError) -> BatchResult {
    guard let entity = model.number(of: entityName).flatMap(model.entity) else {
      throw .unknownEntity(entityName, in: model)
    }
    guard mergePolicy == .error else {
      return try merge(objects, into: entity, by: author, result: type, mergePolicy)
    }
    var rest = objects.makeIterator()
    return try batchInsert(into: entityName, by: author, result: type) { row in
      guard let values = rest.next() else { return false }
      for (name, value) in values {
        guard let index = entity.index(of: name) else {
          throw HistoryError.unknownAttribute(name, of: entity)
        }
        row.set(value, at: index)
      }
      return true
    }
  }

  /// Inserts objects one by one, and resolves each duplicate by a merge policy.
  private func merge(
    _ objects: some Sequence<[String: Value]>,
    into entity: Entity,
    by author: BatchAuthor,
    result type: BatchResultType,
    _ policy: MergePolicy
  ) throws(HistoryError) -> BatchResult {
    try locked { core in
      let table = try core.table(entity.name)
      let outcome = try core.writeChanges(by: author.authorship, type) { version, packer in
        var updates: [Int64: UInt64] = [:]
        for values in objects {
          var (columns, row): (UInt64, [Value]) = (0, entity.attributes.map(\.defaultValue))
          for (name, value) in values {
            guard let index = entity.index(of: name) else {
              throw HistoryError.unknownAttribute(name, of: entity)
            }
            columns |= 1 << UInt64(index)
            row[index] = value
          }
          let id = ObjectID(entity: table.number, key: try core.nextKey(table.number))
          let edit = ObjectEdit(.insert, id, columns: columns, values: row)
          try core.insert(edit, version, policy, &packer, updates: &updates)
        }
        for (key, columns) in updates.sorted(by: { $0.key < $1.key }) {
          packer.update(table.number, key, table.numbers(of: columns))
        }
      }
      return BatchResult(outcome)
    }
  }

  /// Sets attributes of every matching object, as one transaction.
  ///
  /// Core Data: `NSBatchUpdateRequest`.
  ///
  /// - Parameters:
  ///   - entityName: The name of the entity.
  ///   - predicate: The condition on the objects. The default `nil` selects all.
  ///   - values: The new values, by attribute name.
  ///   - author: The author and the context name that history records.
  ///   - type: The part of the outcome to return. The default is ``BatchResultType/status``.
  /// - Returns: The transaction, and the number of updated objects.
  /// - Throws: ``HistoryError`` when a name, a value or the predicate does not fit, or SQLite
  ///   fails.
  /// - Complexity: a scan of the entity, without a query per row.
  @discardableResult
  public func batchUpdate(
    _ entityName: String,
    where predicate: ObjectPredicate? = nil,
    set values: [String: Value],
    by author: BatchAuthor,
    result type: BatchResultType = .status
  ) throws(HistoryError) -> BatchResult {
    try locked { core in
      let table = try core.table(entityName)
      let columns = try core.columns(of: values, in: table.entity)
      let outcome = try core.writeChanges(by: author.authorship, type) { version, packer in
        guard columns.bits != 0 else { return }
        try table.checkOptional(columns.bits, columns.values)
        let collector = try core.statements.collector(core.connection)
        let row = try core.updateAll(table, columns.bits, where: predicate, columns.values)
        try collector.collect(
          table.number,
          columns: table.numbers(of: columns.bits),
          version: version,
          into: &packer
        ) { try row.statement.run() }
      }
      return BatchResult(outcome)
    }
  }

  /// Deletes every matching object, as one transaction (Core Data: `NSBatchDeleteRequest`).
  ///
  /// By default, the delete rules of references to the objects are applied in the same transaction,
  /// and the result includes their effects. With ``BatchDeleteRules/denyAll``, the request fails if
  /// an object that stays has such a reference. With ``BatchDeleteRules/skip``, no delete rule is
  /// applied, as in Core Data's batch deletes.
  ///
  /// - Parameters:
  ///   - entityName: The name of the entity.
  ///   - predicate: The condition on the objects. The default `nil` selects all.
  ///   - author: The author and the context name that history records.
  ///   - rules: The handling of references to the objects. The default is ``BatchDeleteRules/apply``.
  ///   - type: The part of the outcome to return. The default is ``BatchResultType/status``.
  /// - Returns: The transaction, and the number of deleted objects.
  /// - Throws: ``HistoryError`` when a name, a value or the predicate does not fit, or SQLite fails;
  ///   ``HistoryError/Code/deleteDenied`` or ``HistoryError/Code/danglingReference`` if references to
  ///   the objects remain.
  /// - Complexity: a scan of the entity, without a query per row; unless the rules are skipped, one
  ///   query for each deleted object and each attribute that refers to the entity.
  @discardableResult
  public func batchDelete(
    _ entityName: String,
    where predicate: ObjectPredicate? = nil,
    by author: BatchAuthor,
    rules: BatchDeleteRules = .apply,
    result type: BatchResultType = .status
  ) throws(HistoryError) -> BatchResult {
    try locked { core in
      let table = try core.table(entityName)
      return try core.deleteObjects(of: table, by: author.authorship, rules, type) { packer in
        let collector = try core.statements.collector(core.connection)
        let row = try core.deleteAll(table, where: predicate)
        try collector.collect(table.number, columns: table.preserved, into: &packer) {
          try row.statement.run()
        }
      }
    }
  }
}

extension StoreCore {
  /// Inserts one object for each call of a closure that returns `true`; `false` ends the inserts.
  ///
  /// The closure sets the values of the object. The inserts are added to `packer`.
  fileprivate func insert(
    into table: EntityStatements,
    _ version: Int64,
    _ packer: inout ChangePacker,
    _ next: (inout RowWriter) throws -> Bool
  ) throws {
    let inserter = try table.inserter(connection)
    var row = RowWriter(table)
    var keys = cache.keys[Int(table.number) - 1]
    defer { cache.keys[Int(table.number) - 1] = keys }
    while try next(&row) {
      let key = try nextKey(table.number, from: &keys)
      try row.end(key: key)
      packer.insert(table.number, key)
      if row.isFull { try inserter.flush(version: version) }
    }
    try inserter.flush(version: version)
  }

  /// Returns the attributes to set as bits, and their values in the entity's order.
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

  /// Returns the statement that updates matching rows, with its values bound.
  ///
  /// A ``RowCollector`` records the updates for history while the statement runs.
  fileprivate func updateAll(
    _ table: EntityStatements,
    _ columns: UInt64,
    where predicate: ObjectPredicate?,
    _ values: [Value]
  ) throws -> PreparedStatement {
    // A failed request is rolled back as a whole, so the statement need not undo the rows that it
    // wrote before a duplicate. SQLite keeps a statement journal nevertheless, because the statement
    // calls an SQL function.
    let sets = table.columnNames(in: columns).enumerated().map { ", \"\($1)\" = ?\($0 + 1)" }
    let compiled = try compile(predicate, over: table, from: values.count + 1)
    let row = try query(
      """
      UPDATE OR FAIL "\(table.tableName)" SET _version = history_update(_key)\(sets.joined())
      WHERE \(compiled.sql)
      """
    )
    bind(values + compiled.values, to: row)
    return row
  }

  /// Returns the statement that deletes matching rows, with its values bound.
  ///
  /// A ``RowCollector`` records the deletes for history while the statement runs.
  fileprivate func deleteAll(
    _ table: EntityStatements,
    where predicate: ObjectPredicate?
  ) throws -> PreparedStatement {
    let compiled = try compile(predicate, over: table, from: 1)
    // SQLite evaluates terms joined by AND in any order, but the terms of a CASE in the written
    // order.
    let row = try query(
      """
      DELETE FROM "\(table.tableName)"
      WHERE CASE WHEN \(compiled.sql) THEN history_delete(_key\(table.preservedList)) END
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

extension Entity {
  /// Returns the bitmap of the named attributes.
  func columns(_ names: some Sequence<String>) throws(HistoryError) -> UInt64 {
    var bits: UInt64 = 0
    for name in names {
      guard let index = index(of: name) else {
        throw .unknownAttribute(name, of: self)
      }
      bits |= 1 << UInt64(index)
    }
    return bits
  }
}

/// The detail of a batch result (Core Data: `NSBatchInsertRequestResultType` and its counterparts).
public enum BatchResultType: Sendable, Hashable {
  /// The transaction and the counts, without object IDs (Core Data: `statusOnly`).
  case status
  /// The transaction and the counts, without object IDs, as for ``status`` (Core Data: `count`).
  case count
  /// The transaction, the counts and the object IDs, 16 bytes each (Core Data: `objectIDs`).
  case objectIDs
}

/// The treatment of references to the objects that a batch delete deletes.
public enum BatchDeleteRules: Sendable, Hashable {
  /// Applies the delete rule of each reference (`DeleteRule`).
  case apply
  /// Fails if an object that stays refers to an object to delete, whatever the delete rule is.
  ///
  /// References among the objects to delete are allowed. For any other reference, the request
  /// throws ``HistoryError/Code/deleteDenied``, and ``HistoryError/objects`` contains the objects
  /// that stay and refer to an object to delete.
  case denyAll
  /// Applies no delete rule, without a query for each object (Core Data: `NSBatchDeleteRequest`).
  ///
  /// If a reference to a deleted object remains, the foreign keys refuse the commit, and the request
  /// throws ``HistoryError/Code/danglingReference``.
  case skip
}

/// The outcome of a batch request (Core Data: `NSBatchInsertResult` and its counterparts).
public struct BatchResult: Sendable, Hashable {
  /// The transaction, or `nil` when no object matched or the store keeps no history.
  public let transaction: WrittenTransaction?
  /// The number of objects that the request and its delete rules inserted, updated or deleted.
  public let count: Int
  /// The number of objects that delete rules deleted; 0 unless the request deletes objects.
  public let deletedByRuleCount: Int
  /// The number of references that delete rules set to null; 0 unless the request deletes objects.
  public let nullifiedReferenceCount: Int
  /// The objects that were inserted, updated or deleted, in the order of the transaction's changes.
  ///
  /// Empty unless the request asked for object IDs.
  public let objectIDs: [ObjectID]

  init(_ outcome: ChangeOutcome, _ effects: RuleEffects = RuleEffects(deleted: [])) {
    transaction = outcome.transaction
    count = outcome.count
    deletedByRuleCount = effects.deleted.count
    nullifiedReferenceCount = effects.nullifiedReferenceCount
    objectIDs = outcome.objects
  }
}

/// The author and context name that a batch request is recorded with.
public struct BatchAuthor: Sendable, Hashable {
  /// The author that history records for the request; `nil` records none.
  public var author: String?
  /// The context name that history records for the request; `nil` records none.
  public var contextName: String?
  /// The time of the store's clock at the start of the request, before the wait for the write lock.
  ///
  /// `nil` uses the time after the wait.
  package var begunAt: Date?

  /// Creates the author and context name of a batch request.
  ///
  /// - Parameters:
  ///   - author: The author, or `nil` for none.
  ///   - contextName: The name of the context. The default is `nil`, for none.
  public init(_ author: String?, contextName: String? = nil) {
    self.author = author
    self.contextName = contextName
  }

  var authorship: Authorship {
    Authorship(author: author, contextName: contextName, begunAt: begunAt)
  }
}
