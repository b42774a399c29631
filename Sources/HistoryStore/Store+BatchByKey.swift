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
  /// - Complexity: one statement an object and one or two for the history.
  @discardableResult
  public func batchUpdate(
    _ entityName: String,
    setting attributes: [String],
    by author: BatchAuthor,
    result type: BatchResultType = .status,
    _ next: (inout RowWriter) throws -> ObjectID?
  ) throws(HistoryError) -> BatchResult {
    try locked { core in
      let (number, entity) = try core.entity(entityName)
      let columns = try entity.columns(attributes)
      var objects = TouchedObjects(type)
      let outcome = try core.writeChanges(by: author.authorship) { version, packer in
        let statement = try core.table(number).batchUpdate(columns, core.connection)
        var row = RowWriter(statement, entity, from: 4, only: columns)
        do {
          while let id = try next(&row) {
            guard id.entity == number else { throw HistoryError.unknownObject(id) }
            if try row.update(key: id.key, version: version, core.connection) {
              packer.update(number, id.key, columns)
              objects.note(number, id.key)
            }
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

  /// Deletes one object after the other, which a closure names until it answers nothing, as one
  /// transaction (Core Data: `NSBatchDeleteRequest(objectIDs:)`).
  ///
  /// An object that is not there is left out. The closure runs inside the write: a request to the same
  /// store from there is refused.
  ///
  /// - Throws: ``HistoryError`` when an object is of another entity or SQLite fails, and
  ///   ``HistoryError/stopped(_:)`` when the closure throws; nothing is written then.
  /// - Complexity: one statement an object and one or two for the history.
  @discardableResult
  public func batchDelete(
    _ entityName: String,
    by author: BatchAuthor,
    result type: BatchResultType = .status,
    _ next: () throws -> ObjectID?
  ) throws(HistoryError) -> BatchResult {
    try locked { core in
      let (number, entity) = try core.entity(entityName)
      var objects = TouchedObjects(type)
      let outcome = try core.writeChanges(by: author.authorship) { _, packer in
        let collector = try core.collector()
        let row = try core.table(number).deleteCollecting(core.connection)
        objects = try collector.collect(
          number,
          columns: entity.preserved,
          into: &packer,
          objects
        ) {
          while let id = try next() {
            guard id.entity == number else { throw HistoryError.unknownObject(id) }
            row.statement.bind(id.key, at: 1)
            try row.statement.run()
          }
        }
      }
      return BatchResult(outcome, objects.ids)
    }
  }
}
