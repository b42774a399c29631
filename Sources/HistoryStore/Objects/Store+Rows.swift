public import Foundation
public import HistoryTypes
import SQLiteStorage

/// Rows of one entity, packed into one array of bytes without an allocation per row.
package struct RowBatch: Sendable {
  /// The entity's number.
  package let entity: Int32
  /// The types of the entity's attributes.
  package let types: [AttributeType]
  /// The keys of the rows.
  package private(set) var keys: [Int64] = []
  /// The versions of the rows: the transactions that wrote them last.
  package private(set) var versions: [Int64] = []
  /// A ``PackedRecord`` for each row, one after another.
  package private(set) var bytes: [UInt8] = []
  /// The offset of each record in `bytes`.
  private var starts: [Int] = []

  package init(entity: Int32, types: [AttributeType]) {
    self.entity = entity
    self.types = types
  }

  /// The number of values of a row.
  package var width: Int { types.count }

  /// The values of all rows, concatenated.
  package var values: [Value] { keys.indices.flatMap { values(of: $0) } }

  /// The range of a record's bytes.
  package func byteRange(of index: Int) -> Range<Int> {
    starts[index]..<(index + 1 < starts.count ? starts[index + 1] : bytes.count)
  }

  /// Returns the values of a row, one for each attribute.
  package func values(of index: Int) -> [Value] {
    bytes.withUnsafeBytes { bytes in
      guard let first = bytes.baseAddress else { return [] }
      return PackedRow.values(in: PackedRecord(at: first + starts[index]).row, of: types)
    }
  }

  fileprivate mutating func reserve(_ rowCount: Int) {
    keys.reserveCapacity(rowCount)
    versions.reserveCapacity(rowCount)
    starts.reserveCapacity(rowCount)
  }

  /// Appends a row, whose columns are its key, its version, then its values.
  @inline(__always)
  mutating func append(_ row: borrowing some RowValues & ~Copyable) {
    keys.append(row.int(0))
    versions.append(row.int(1))
    starts.append(bytes.count)
    PackedRecord.append(row, of: types, to: &bytes)
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

  /// Reads the rows with the given keys of several entities, in a consistent state.
  ///
  /// - Parameter keys: The sorted keys of each entity, in the order of the model.
  /// - Returns: The rows of each entity with keys.
  /// - Throws: ``HistoryError/Code/sqlite``.
  /// - Complexity: one statement for many keys.
  package func rows(sortedKeys keys: [[Int64]]) throws(HistoryError) -> [RowBatch] {
    try locked { core in
      try core.read {
        try keys.enumerated().filter { !$0.element.isEmpty }.map { offset, keys in
          try core.rows(Int32(offset) + 1, sortedKeys: keys)
        }
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
      try core.withSmallCache {
        try core.read {
          let declared = core.model.entities.indices.filter { core.model.entities[$0].isDeclared }
          let rows = try declared.map { try core.rows(Int32($0 + 1), ObjectQuery()) }
          return (rows, try core.headToken())
        }
      }
    }
  }
}

extension StoreCore {
  /// The limit of the page cache during a scan of all rows, in KiB.
  private static let scanCacheSizeKiB: Int32 = 2048

  /// Runs a closure that scans all rows, with a small page cache, because each page is read only once.
  fileprivate func withSmallCache<Result>(_ body: () throws -> Result) throws -> Result {
    let usual = configuration.cacheSizeKiB
    guard usual > Self.scanCacheSizeKiB else { return try body() }
    try connection.setCacheSize(kiB: Self.scanCacheSizeKiB)
    // If the limit cannot be restored, later reads are slower, but correct.
    defer { try? connection.setCacheSize(kiB: usual) }
    return try body()
  }

  func rows(_ number: Int32, sortedKeys keys: [Int64]) throws -> RowBatch {
    let table = try table(number)
    var batch = RowBatch(entity: number, types: table.types)
    batch.reserve(keys.count)
    try statements.rowReader(connection).read(keys, of: table, into: &batch, connection)
    return batch
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
