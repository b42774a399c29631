public import Foundation
public import HistoryTypes
import SQLiteStorage

extension Store {
  /// Reads the rows with the given keys, in key order; keys without a row are skipped.
  ///
  /// The keys must be sorted, so that the pages of the table are visited once and in order.
  ///
  /// - Complexity: one statement for every 16,384 keys.
  package func rows(
    _ entity: Int32,
    sortedKeys keys: [Int64]
  ) throws(HistoryError) -> RowBatch {
    try locked { core in try core.read { try core.scan(entity, sortedKeys: keys) } }
  }

  /// Reads the rows with the given keys of several entities, in a consistent state.
  ///
  /// - Parameter keys: The sorted keys of each entity, in the order of the model.
  /// - Returns: One batch for each entity that has keys, in the order of the model.
  /// - Throws: ``HistoryError/Code/sqlite``.
  /// - Complexity: one statement for every 16,384 keys of an entity.
  package func rows(sortedKeys keys: [[Int64]]) throws(HistoryError) -> [RowBatch] {
    try locked { core in
      try core.read {
        try keys.enumerated().filter { !$0.element.isEmpty }.map { offset, keys in
          try core.scan(Int32(offset) + 1, sortedKeys: keys)
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

  /// Reads all rows of the entities in the program's model, in one consistent state.
  ///
  /// - Returns: The rows of each entity, and the position of this state in history.
  /// - Complexity: a scan of the data in one read transaction, which does not block writers.
  package func snapshot() throws(HistoryError) -> (rows: [RowBatch], at: HistoryToken) {
    try locked { core in
      try core.restoringCache {
        try core.read {
          let declared = core.model.entities.indices.filter { core.model.entities[$0].isDeclared }
          var byteCount = 0
          let rows = try declared.map {
            let batch = try core.rows(Int32($0 + 1), ObjectQuery())
            byteCount += batch.bytes.count
            try core.limitCache(afterReading: byteCount)
            return batch
          }
          return (rows, try core.headToken())
        }
      }
    }
  }
}

extension StoreCore {
  /// The limit of the page cache while many rows are read, in KiB.
  private static let scanCacheSizeKiB: Int32 = 2048
  /// The maximum number of keys that one statement reads.
  private static let scanKeyCount = 16_384

  /// Runs a closure that reads rows, and restores the page cache's limit if the closure lowered it.
  func restoringCache<Result>(_ body: () throws -> Result) rethrows -> Result {
    let wasLimited = isCacheLimited
    defer {
      if isCacheLimited && !wasLimited {
        isCacheLimited = false
        // If the limit cannot be restored, later reads are slower, but correct.
        try? connection.setCacheSize(kiB: configuration.cacheSizeKiB)
      }
    }
    return try body()
  }

  /// Lowers the page cache's limit to ``scanCacheSizeKiB`` if a read returned more bytes than that.
  ///
  /// SQLite then frees the pages beyond the limit. A read of so many rows would otherwise fill the
  /// cache with pages that are read only once.
  @inline(__always)
  func limitCache(afterReading byteCount: Int) throws {
    guard byteCount > Int(Self.scanCacheSizeKiB) << 10, !isCacheLimited else { return }
    try limitCache()
  }

  private func limitCache() throws {
    guard configuration.cacheSizeKiB > Self.scanCacheSizeKiB else { return }
    try connection.setCacheSize(kiB: Self.scanCacheSizeKiB)
    isCacheLimited = true
  }

  /// Reads the rows with the given keys in groups.
  ///
  /// After many rows, SQLite's page cache is limited until the end of the call, so that it does not
  /// fill with pages that are read only once.
  fileprivate func scan(_ number: Int32, sortedKeys keys: [Int64]) throws -> RowBatch {
    let table = try table(number)
    let reader = try statements.rowReader(connection)
    var batch = RowBatch(entity: number, types: table.types)
    try restoringCache {
      for start in stride(from: 0, to: keys.count, by: Self.scanKeyCount) {
        let group = keys[start..<min(start + Self.scanKeyCount, keys.count)]
        try reader.read(Array(group), of: table, into: &batch, connection)
        try limitCache(afterReading: batch.bytes.count)
      }
    }
    return batch
  }

  func rows(_ number: Int32, sortedKeys keys: [Int64]) throws -> RowBatch {
    let table = try table(number)
    var batch = RowBatch(entity: number, types: table.types)
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
  /// - Complexity: constant; no query.
  public func url(of id: ObjectID) throws(HistoryError) -> URL {
    let text = try uri(of: id)
    guard let url = URL(string: text) else { throw .badURL(text) }
    return url
  }

  /// Returns the ID of the object with a URL, without checking that the object exists.
  ///
  /// - Throws: ``HistoryError/Code/badURL``, ``HistoryError/Code/otherStoreURL`` or
  ///   ``HistoryError/Code/unknownEntity``.
  /// - Complexity: linear in the number of entities; no query.
  public func objectID(for url: URL) throws(HistoryError) -> ObjectID {
    try objectID(forURI: url.absoluteString.removingPercentEncoding ?? url.absoluteString)
  }

  /// Returns the text of ``url(of:)``.
  package func uri(of id: ObjectID) throws(HistoryError) -> String {
    guard let entity = model.entity(id.entity), id.key > 0 else { throw .unknownObject(id) }
    return ObjectURI(store: self.id, entity: entity.name, key: id.key).description
  }

  /// Returns the ID of the object whose ``url(of:)`` has the given text.
  package func objectID(forURI uri: String) throws(HistoryError) -> ObjectID {
    guard let parts = ObjectURI(uri) else { throw .badURL(uri) }
    guard parts.store == id else { throw .otherStoreURL(uri, store: id) }
    guard let entity = model.number(of: parts.entity) else {
      throw .unknownEntity(parts.entity, in: model)
    }
    return ObjectID(entity: entity, key: parts.key)
  }
}
