package import PersistentHistory
import SQLiteStorage

/// Rows of one entity as they are in the store: flat, without an allocation a row.
package struct RowBatch: Sendable {
  /// The entity's number.
  package let entity: Int32
  /// How many values a row has.
  package let width: Int
  /// The keys of the rows.
  package private(set) var keys: [Int64] = []
  /// The versions of the rows: the transactions that wrote them last.
  package private(set) var versions: [Int64] = []
  /// The values of all rows, one after the other.
  package private(set) var values: [Value] = []

  package init(entity: Int32, width: Int) {
    self.entity = entity
    self.width = width
  }

  /// Appends the row of a statement: the version in a column, the values behind it.
  fileprivate mutating func append(
    _ key: Int64,
    _ row: borrowing Statement,
    _ entity: Entity,
    from column: Int32
  ) {
    keys.append(key)
    versions.append(row.int(column))
    for (index, attribute) in entity.attributes.enumerated() {
      values.append(row.value(column + 1 + Int32(index), as: attribute.type))
    }
  }
}

extension Store {
  /// Reads the rows with some keys that are there, in key order; keys must be sorted, so that the
  /// pages of the table are visited once and in order.
  ///
  /// - Complexity: one query a key.
  package func rows(
    _ entity: Int32,
    sortedKeys keys: [Int64]
  ) throws(HistoryError) -> RowBatch {
    try locked { core in
      let table = try core.table(entity)
      var batch = RowBatch(entity: entity, width: table.entity.attributes.count)
      try core.read {
        let select = try table.select(core.connection)
        for key in keys {
          select.statement.bind(key, at: 1)
          if try select.statement.step() {
            batch.append(key, select.statement, table.entity, from: 0)
          }
          select.statement.reset()
        }
      }
      return batch
    }
  }

  /// Reads the rows of an entity that match a predicate, in key order.
  ///
  /// - Complexity: a scan of the entity.
  package func rows(
    _ entity: Int32,
    where predicate: ObjectPredicate? = nil
  ) throws(HistoryError) -> RowBatch {
    try locked { core in try core.read { try core.rows(entity, predicate) } }
  }

  /// Reads every row of every entity at one moment, and the position of that moment.
  ///
  /// - Complexity: a scan of the data in one read transaction; no writer waits for it.
  package func snapshot() throws(HistoryError) -> (rows: [RowBatch], at: HistoryToken) {
    try locked { core in
      try core.read {
        let rows = try core.model.entities.indices.map { try core.rows(Int32($0 + 1), nil) }
        return (rows, try core.headToken())
      }
    }
  }
}

extension StoreCore {
  fileprivate func rows(_ number: Int32, _ predicate: ObjectPredicate?) throws -> RowBatch {
    let entity = try entity(number)
    let compiled = try compile(predicate, over: entity, from: 1)
    var batch = RowBatch(entity: number, width: entity.attributes.count)
    let list = try table(number).columnList
    let query = try query(
      "SELECT _key, _version\(list) FROM \"\(entity.name)\" WHERE \(compiled.sql) ORDER BY _key"
    )
    for (offset, value) in compiled.values.enumerated() {
      query.statement.bind(value, at: Int32(offset) + 1)
    }
    defer { query.statement.reset() }
    while try query.statement.step() {
      batch.append(query.statement.int(0), query.statement, entity, from: 1)
    }
    return batch
  }
}
