public import PersistentHistory
import SQLiteStorage

extension Store {
  /// Sets some attributes of one object after the other: a closure sets the values of each and answers
  /// which object it is, or nothing at the end; all of it is one transaction.
  ///
  /// An attribute among those that the closure does not set becomes null. An object that is not there
  /// is left out; one that comes twice keeps the last values and is one change. The closure runs
  /// inside the write: a request to the same store from there is refused.
  ///
  /// - Throws: ``HistoryError`` when a name or value does not fit, an object is of another entity, or
  ///   SQLite fails, and ``HistoryError/stopped(_:)`` when the closure throws; nothing is written then.
  /// - Complexity: one statement for many objects whose keys rise, else one an object, and one or two
  ///   for the history.
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

  /// Deletes one object after the other, which a closure names until it answers nothing, as one
  /// transaction (Core Data: `NSBatchDeleteRequest(objectIDs:)`).
  ///
  /// An object that is not there is left out. The closure runs inside the write: a request to the same
  /// store from there is refused.
  ///
  /// - Throws: ``HistoryError`` when an object is of another entity or SQLite fails, and
  ///   ``HistoryError/stopped(_:)`` when the closure throws; nothing is written then.
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
  /// Updates a row, and packs its change, for each that a closure sets and names.
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
