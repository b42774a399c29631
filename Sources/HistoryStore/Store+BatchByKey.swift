public import PersistentHistory
import SQLiteStorage

extension Store {
  /// Sets some attributes of objects one after the other, as one transaction.
  ///
  /// For each object, the closure sets the values and returns its ID; it returns `nil` at the end.
  /// Those of the attributes that it does not set become null. Missing objects are skipped; an
  /// object that comes twice keeps the last values and counts as one change. The closure runs
  /// inside the write: a request to the same store from within it fails.
  ///
  /// - Throws: ``HistoryError`` when a name or value does not fit, an object is of another entity,
  ///   or SQLite fails, and ``HistoryError/stopped(_:)`` when the closure throws; the store is not
  ///   changed then.
  /// - Complexity: one statement for many objects with ascending keys, otherwise one per object,
  ///   and one or two for the history.
  @discardableResult
  public func batchUpdate(
    _ entityName: String,
    setting attributes: [String],
    by author: BatchAuthor,
    result type: BatchResultType = .status,
    _ next: (inout RowWriter) throws -> ObjectID?
  ) throws(HistoryError) -> BatchResult {
    try locked { core in
      let table = try core.table(entityName)
      let columns = try table.columns(of: attributes)
      let outcome = try core.writeChanges(by: author.authorship, type) { version, packer in
        let updater = try table.updater(columns, try core.collector(), core.connection)
        try core.update(table, updater, version, &packer, next)
      }
      return BatchResult(outcome)
    }
  }

  /// Deletes the objects whose IDs a closure returns until it returns `nil`, as one transaction.
  ///
  /// Core Data: `NSBatchDeleteRequest(objectIDs:)`. Missing objects are skipped. The closure runs
  /// inside the write: a request to the same store from within it fails.
  ///
  /// - Throws: ``HistoryError`` when an object is of another entity or SQLite fails, and
  ///   ``HistoryError/stopped(_:)`` when the closure throws; the store is not changed then.
  /// - Complexity: one statement for many objects, and one or two for the history.
  @discardableResult
  public func batchDelete(
    _ entityName: String,
    by author: BatchAuthor,
    result type: BatchResultType = .status,
    _ next: () throws -> ObjectID?
  ) throws(HistoryError) -> BatchResult {
    try locked { core in
      let table = try core.table(entityName)
      let outcome = try core.writeChanges(by: author.authorship, type) { _, packer in
        let collector = try core.collector()
        let rows = try table.deleter(core.connection)
        try collector.collect(
          table.number,
          columns: table.entity.preserved,
          into: &packer
        ) {
          rows.begin()
          while let id = try next() {
            guard id.entity == table.number else { throw HistoryError.unknownObject(id) }
            try rows.add(id.key)
          }
          try rows.flush()
        }
      }
      return BatchResult(outcome)
    }
  }
}

extension StoreCore {
  /// Updates each row that a closure sets, and packs its change.
  fileprivate func update(
    _ table: EntityStatements,
    _ updater: RowUpdater,
    _ version: Int64,
    _ packer: inout ChangePacker,
    _ next: (inout RowWriter) throws -> ObjectID?
  ) throws {
    var row = RowWriter(table, only: updater.columns)
    updater.begin()
    while let id = try next(&row) {
      guard id.entity == table.number else { throw HistoryError.unknownObject(id) }
      try row.end(key: id.key)
      if row.isFull { try updater.flush(version: version, &packer, connection) }
    }
    try updater.flush(version: version, &packer, connection)
  }
}
