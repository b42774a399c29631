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
  /// - Complexity: two statements an object and one or two for the history.
  @discardableResult
  public func batchDelete(
    _ entityName: String,
    by author: BatchAuthor,
    result type: BatchResultType = .status,
    _ next: () throws -> ObjectID?
  ) throws(HistoryError) -> BatchResult {
    try locked { core in
      let number = try core.entity(entityName).number
      var objects = TouchedObjects(type)
      let outcome = try core.writeChanges(by: author.authorship) { _, packer in
        while let id = try next() {
          guard id.entity == number else { throw HistoryError.unknownObject(id) }
          if try core.delete(id.key, of: number, &packer) { objects.note(number, id.key) }
        }
      }
      return BatchResult(outcome, objects.ids)
    }
  }
}

extension StoreCore {
  /// Deletes an object and packs the change with its tombstone; false when it is not there.
  fileprivate func delete(
    _ key: Int64,
    of number: Int32,
    _ packer: inout ChangePacker
  ) throws -> Bool {
    let table = try table(number)
    let tombstone = try table.tombstone(connection)
    tombstone.statement.bind(key, at: 1)
    defer { tombstone.statement.reset() }
    guard try tombstone.statement.step() else { return false }
    let preserved = table.entity.preserved
    packer.delete(number, key, preserved: preserved, in: tombstone.statement, from: 1)
    tombstone.statement.reset()
    let row = try table.delete(connection)
    row.statement.bind(key, at: 1)
    try row.statement.run()
    return true
  }
}
