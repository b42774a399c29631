public import Foundation
public import HistoryTypes
import SQLiteStorage

/// Rows of one entity in flat arrays, without an allocation per row.
package struct RowBatch: Sendable {
  /// The entity's number.
  package let entity: Int32
  /// The number of values of a row.
  package let width: Int
  /// The keys of the rows.
  package private(set) var keys: [Int64] = []
  /// The versions of the rows: the transactions that wrote them last.
  package private(set) var versions: [Int64] = []
  /// The values of all rows, concatenated.
  package private(set) var values: [Value] = []

  package init(entity: Int32, width: Int) {
    self.entity = entity
    self.width = width
  }

  /// Passes the values of all rows to a closure, which may move them out.
  package mutating func withValues(_ body: (UnsafeMutableBufferPointer<Value>) -> Void) {
    values.withUnsafeMutableBufferPointer { body($0) }
  }

  fileprivate mutating func reserve(_ rowCount: Int) {
    keys.reserveCapacity(rowCount)
    versions.reserveCapacity(rowCount)
    values.reserveCapacity(rowCount * width)
  }

  /// Appends a row, whose columns are its key, its version, then its values.
  @inline(__always)
  mutating func append(
    _ row: borrowing some RowValues & ~Copyable,
    _ types: some Sequence<AttributeType>
  ) {
    keys.append(row.int(0))
    versions.append(row.int(1))
    var column: Int32 = 2
    for type in types {
      values.append(row.value(column, as: type))
      column += 1
    }
  }
}

extension Store {
  /// Reads the rows with the given keys, in key order; keys without a row are skipped.
  ///
  /// The keys must be sorted, so that the pages of the table are visited once and in order.
  ///
  /// - Complexity: one statement for many keys.
  package func rows(
    _ entity: Int32,
    sortedKeys keys: [Int64]
  ) throws(HistoryError) -> RowBatch {
    try locked { core in try core.read { try core.rows(entity, sortedKeys: keys) } }
  }

  /// Reads rows of several entities in a consistent state, reduced to differences from known rows.
  ///
  /// - Complexity: one statement for many keys.
  package func rows(comparedWith known: [KnownRows]) throws(HistoryError) -> [RowDifferences] {
    try locked { core in
      try core.read {
        try known.filter { !$0.keys.isEmpty }.map { try core.rows(comparedWith: $0) }
      }
    }
  }

  /// Reads the rows of an entity that match a predicate, in key order.
  ///
  /// - Complexity: a scan of the entity.
  package func rows(
    _ entity: Int32,
    where predicate: ObjectPredicate? = nil
  ) throws(HistoryError) -> RowBatch {
    try rows(entity, ObjectQuery(predicate))
  }

  /// Reads every row of every entity in a consistent state, and the state's position in history.
  ///
  /// - Complexity: a scan of the data in one read transaction, which does not block writers.
  package func snapshot() throws(HistoryError) -> (rows: [RowBatch], at: HistoryToken) {
    try locked { core in
      try core.read {
        let declared = core.model.entities.indices.filter { core.model.entities[$0].isDeclared }
        let rows = try declared.map { try core.rows(Int32($0 + 1), ObjectQuery()) }
        return (rows, try core.headToken())
      }
    }
  }
}

extension StoreCore {
  func rows(_ number: Int32, sortedKeys keys: [Int64]) throws -> RowBatch {
    let table = try table(number)
    var batch = RowBatch(entity: number, width: table.entity.attributes.count)
    batch.reserve(keys.count)
    try statements.rowReader(connection).read(keys, of: table, into: &batch, connection)
    return batch
  }

  fileprivate func rows(comparedWith known: KnownRows) throws -> RowDifferences {
    let table = try table(known.entity)
    var rows = RowDifferences(
      entity: known.entity,
      rowCount: known.keys.count,
      width: table.types.count
    )
    try statements.rowReader(connection).read(known, of: table, into: &rows, connection)
    return rows
  }
}

extension Store {
  /// Returns the URL of an object, `x-history://STORE/ENTITY/pKEY`.
  ///
  /// Core Data: `NSManagedObjectID.uriRepresentation()`. The URL can be kept outside the store, and
  /// identifies the object even after its deletion.
  ///
  /// - Throws: ``HistoryError/Code/unknownObject`` if the model has no such entity, or the key is
  ///   invalid.
  public func url(of id: ObjectID) throws(HistoryError) -> URL {
    let text = try uri(of: id)
    guard let url = URL(string: text) else { throw .badURL(text) }
    return url
  }

  /// Returns the ID of the object with a URL, without checking that the object exists.
  ///
  /// - Throws: ``HistoryError/Code/badURL``, ``HistoryError/Code/otherStoreURL`` or
  ///   ``HistoryError/Code/unknownEntity``.
  public func objectID(for url: URL) throws(HistoryError) -> ObjectID {
    try objectID(forURI: url.absoluteString.removingPercentEncoding ?? url.absoluteString)
  }

  /// Returns the text of ``url(of:)``.
  package func uri(of id: ObjectID) throws(HistoryError) -> String {
    guard let entity = model.entity(id.entity), id.key > 0 else { throw .unknownObject(id) }
    return ObjectURI(store: self.id, entity: entity.name, key: id.key).description
  }

  /// Returns the ID of the object with a URI, which is the text of its ``url(of:)``.
  package func objectID(forURI uri: String) throws(HistoryError) -> ObjectID {
    guard let parts = ObjectURI(uri) else { throw .badURL(uri) }
    guard parts.store == id else { throw .otherStoreURL(uri, store: id) }
    guard let entity = model.number(of: parts.entity) else {
      throw .unknownEntity(parts.entity, in: model)
    }
    return ObjectID(entity: entity, key: parts.key)
  }
}
