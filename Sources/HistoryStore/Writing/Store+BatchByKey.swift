public import HistoryTypes
import SQLiteStorage

extension Store {
  /// Sets the named attributes of objects to values that a closure provides, as one transaction.
  ///
  /// For each object, the closure sets the values and returns the object's ID; it returns `nil` at
  /// the end. Named attributes that the closure does not set become null. Missing objects are
  /// skipped; an object that occurs twice keeps the last values and counts as one change. The
  /// closure runs inside the write: a request to the same store from within the closure fails.
  ///
  /// - Parameters:
  ///   - entityName: The name of the entity.
  ///   - attributes: The names of the attributes to set in every object.
  ///   - author: The author and the context name that history records.
  ///   - type: The part of the outcome to return. The default is ``BatchResultType/status``.
  ///   - next: The closure, which sets the values of the next object and returns its ID, or `nil`.
  /// - Returns: The transaction, and the number of updated objects.
  /// - Throws: ``HistoryError`` if a name or value does not fit, an object is of another entity, or
  ///   SQLite fails, and ``HistoryError/Code/stopped`` if the closure throws; the store is then not
  ///   changed.
  /// - Complexity: one statement for up to 256 objects with consecutive keys, or for up to 64 objects
  ///   with other ascending keys; in any other order, one or two statements for each object. The
  ///   history takes about one statement for each 32 KB of changes, or one for each change in the
  ///   layout `coreData`.
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
        let updater = try table.updater(
          columns,
          try core.statements.collector(core.connection),
          core.connection
        )
        try core.update(table, updater, version, &packer, next)
      }
      return BatchResult(outcome)
    }
  }

  /// Deletes the objects whose IDs a closure returns, as one transaction; `nil` ends the request.
  ///
  /// Core Data: `NSBatchDeleteRequest(objectIDs:)`. Missing objects are skipped. The closure runs
  /// inside the write: a request to the same store from within the closure fails. By default, the
  /// delete rules of references to the objects are applied in the same transaction, and the result
  /// includes their effects; `rules` can deny such references, or skip the rules.
  ///
  /// - Parameters:
  ///   - entityName: The name of the entity.
  ///   - author: The author and the context name that history records.
  ///   - rules: The handling of references to the objects. The default is ``BatchDeleteRules/apply``.
  ///   - type: The part of the outcome to return. The default is ``BatchResultType/status``.
  ///   - next: The closure, which returns the ID of the next object, or `nil` at the end.
  /// - Returns: The transaction, and the number of deleted objects.
  /// - Throws: ``HistoryError`` if an object is of another entity or SQLite fails,
  ///   ``HistoryError/Code/deleteDenied`` or ``HistoryError/Code/danglingReference`` if references to
  ///   the objects remain, and ``HistoryError/Code/stopped`` if the closure throws; the store is then
  ///   not changed.
  /// - Complexity: one statement for up to 512 objects with consecutive keys, or for up to 64 objects
  ///   with other ascending keys; in any other order, one statement for each object. The history
  ///   takes about one statement for each 32 KB of changes, or one for each change in the layout
  ///   `coreData`. Unless the rules are skipped, one query for each deleted object and each attribute
  ///   that refers to the entity.
  @discardableResult
  public func batchDelete(
    _ entityName: String,
    by author: BatchAuthor,
    rules: BatchDeleteRules = .apply,
    result type: BatchResultType = .status,
    _ next: () throws -> ObjectID?
  ) throws(HistoryError) -> BatchResult {
    try locked { core in
      let table = try core.table(entityName)
      return try core.deleteObjects(of: table, by: author.authorship, rules, type) { packer in
        let collector = try core.statements.collector(core.connection)
        let rows = try table.deleter(core.connection)
        try collector.collect(
          table.number,
          columns: table.preserved,
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
    }
  }
}

extension StoreCore {
  /// Writes the values that a closure sets for each object, and adds the updates to `packer`.
  ///
  /// The closure returns the object's ID, or `nil` at the end.
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

/// SQL conditions that select many rows by their keys in one statement.
///
/// The keys form a range or a list. A list of fewer than ``count`` keys is padded with its last
/// key.
enum KeyList {
  /// The maximum number of keys in the list of one statement (``sql``).
  static let count = 64
  /// The SQL condition of a range of keys, whose ends are `?1` and `?2`.
  static let range = "_key BETWEEN ?1 AND ?2"
  /// The SQL condition of a list of keys.
  static let sql = "_key IN (" + (1...count).map { "?\($0)" }.joined(separator: ",") + ")"

  /// Runs a statement for a range of keys.
  static func run(
    _ row: PreparedStatement,
    from first: Int64,
    through last: Int64
  ) throws {
    row.statement.bind(first, at: 1)
    row.statement.bind(last, at: 2)
    try row.statement.run()
  }

  /// Runs a statement for a list of keys, once for every ``count`` keys.
  static func run(_ row: PreparedStatement, _ keys: some RandomAccessCollection<Int64>) throws {
    var rest = keys[...]
    while let last = rest.prefix(count).last {
      var place: Int32 = 0
      for key in rest.prefix(count) {
        place += 1
        row.statement.bind(key, at: place)
      }
      while place < count {
        place += 1
        row.statement.bind(last, at: place)
      }
      try row.statement.run()
      rest = rest.dropFirst(count)
    }
  }
}

/// Deletes rows of one entity by their keys, if possible many rows with one statement.
///
/// Starting a statement costs as much as deleting a row, so keys are buffered until one statement can
/// delete many rows: consecutive keys become a range, other ascending keys a list. Objects are deleted
/// in the order in which they were added. SQLite finds each row by its key, and then passes the
/// row's values to the SQL function of a ``RowCollector``, which records the delete for history.
final class KeyDeleter {
  /// The least number of keys for which one list costs less than one statement per key.
  private static let listCountMin = 24
  /// The minimum and maximum numbers of consecutive keys that one statement for a range deletes.
  ///
  /// The maximum limits the size of the statement journal, which SQLite keeps for a statement that
  /// changes many rows and calls a function. The first 64 KiB of the journal, or sixteen pages, stay
  /// in memory (https://sqlite.org/compile.html#stmtjrnl_spill).
  private static let runCounts = 16...512

  private let one: PreparedStatement
  private let range: PreparedStatement
  private let list: PreparedStatement
  private let keys = UnsafeMutablePointer<Int64>.allocate(capacity: KeyList.count)
  private var count = 0
  private var last: Int64 = 0
  /// Whether each buffered key is the successor of the key before it.
  private var isRun = true
  /// Whether each buffered key is greater than the key before it.
  private var isRising = true

  init(_ table: String, preserved: String, _ connection: borrowing Connection) throws {
    let delete = "DELETE FROM \"\(table)\" WHERE "
    let collect = " AND history_delete(_key\(preserved))"
    one = try PreparedStatement(connection, delete + "_key = ?1" + collect)
    range = try PreparedStatement(connection, delete + KeyList.range + collect)
    list = try PreparedStatement(connection, delete + KeyList.sql + collect)
  }

  deinit { keys.deallocate() }

  /// Starts a request, and discards the keys that a failed request left in the buffer.
  func begin() {
    count = 0
    isRun = true
    isRising = true
  }

  /// Deletes the row with a key, immediately or with a later flush.
  @inline(__always)
  func add(_ key: Int64) throws {
    if isRun && count > 0 && key == last &+ 1 && count < Self.runCounts.upperBound {
      if count < KeyList.count { keys[count] = key }
    } else {
      if count >= (isRun ? Self.runCounts.lowerBound : KeyList.count) { try flush() }
      isRun = count == 0
      isRising = isRising && (count == 0 || key > last)
      keys[count] = key
    }
    count += 1
    last = key
  }

  /// Deletes the rows of all buffered keys.
  func flush() throws {
    if count > 1 && isRun {
      try KeyList.run(range, from: keys[0], through: last)
    } else if isRising && count >= Self.listCountMin {
      try KeyList.run(list, UnsafeBufferPointer(start: keys, count: count))
    } else {
      try deleteEach()
    }
    begin()
  }

  private func deleteEach() throws {
    for index in 0..<count {
      one.statement.bind(keys[index], at: 1)
      try one.statement.run()
    }
  }
}
