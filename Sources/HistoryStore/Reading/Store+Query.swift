public import PersistentHistory
import SQLiteStorage

/// The result of an SQL query.
public struct QueryResult: Sendable, Hashable {
  /// The names of the columns.
  public let columns: [String]
  /// The values of each row: integers, doubles, strings, data and nulls, by SQLite's storage class.
  public let rows: [[Value]]
}

extension Store {
  /// Runs an SQL query over the history, the objects and the other tables of the file.
  ///
  /// The changes of the history are rows of the table `history_changes`, in either layout:
  /// `number`, `place` (together they identify a change), `timestamp` (seconds since 2001-01-01
  /// UTC), `author`, `context`, `bundle`, `process`, `entity`, `key`, `type` (`insert`, `update`,
  /// `delete`), `properties` (of an update, a JSON array of names) and `tombstone` (of a delete, a
  /// JSON object). They are ordered by number, and a comparison of `number` limits the rows that
  /// are read:
  ///
  /// ```swift
  /// try store.query(
  ///   "SELECT author, count(*) FROM history_changes WHERE number > ? GROUP BY author",
  ///   [.int(40)]
  /// )
  /// ```
  ///
  /// - Throws: ``HistoryError/sqlite(_:)`` when the text is not a query, would do more than read,
  ///   or has another number of parameters than values; ``HistoryError/damagedTransaction(_:)``
  ///   when the changes of a transaction cannot be read. The file is not changed in any case.
  /// - Complexity: linear in the changes within the limits on `number`, with one page of them and
  ///   all rows of the result in memory.
  public func query(_ sql: String, _ values: [Value] = []) throws(HistoryError) -> QueryResult {
    var names: [String] = []
    var rows: [[Value]] = []
    try query(sql, values, showsTombstones: true, columns: { names = $0 }, row: { rows.append($0) })
    return QueryResult(columns: names, rows: rows)
  }

  /// Runs an SQL query row by row, and returns whether it reads columns that are to be hidden.
  ///
  /// The values of tombstones are null then.
  ///
  /// - Throws: the errors of ``query(_:_:)`` and of the closures.
  @discardableResult
  package func query(
    _ sql: String,
    _ values: [Value] = [],
    showsTombstones: Bool,
    columns: ([String]) throws -> Void,
    row: ([Value]) throws -> Void
  ) throws(HistoryError) -> Bool {
    try lockedHistory { core in
      try core.read {
        try core.connection.withTable(HistoryChangeRows.table) {
          HistoryChangeRows(core)
        } _: {
          var hides = false
          let statement = try Statement(core.connection, reading: sql) { table, column in
            let isHidden = !showsTombstones && HistoryLayout.holdsTombstones(table, column)
            hides = hides || isHidden
            return isHidden
          }
          try statement.answer(values, columns, row)
          return hides
        }
      }
    }
  }
}

extension HistoryLayout {
  /// Returns whether a column contains values of deleted objects.
  fileprivate static func holdsTombstones(_ table: String, _ column: String) -> Bool {
    switch table.lowercased() {
    case HistoryChangeRows.table.name: column == HistoryChangeRows.tombstoneColumn
    case "achange": column.lowercased().hasPrefix("ztombstone")
    case "history_transaction", "history_chunk": column == "changes"
    default: false
    }
  }
}

extension Statement {
  /// Binds the values, and passes the column names and each row to closures.
  fileprivate borrowing func answer(
    _ values: [Value],
    _ columns: ([String]) throws -> Void,
    _ row: ([Value]) throws -> Void
  ) throws {
    try checkPlaces(values.count)
    for (offset, value) in values.enumerated() { bind(value, at: Int32(offset + 1)) }
    try columns((0..<columnCount).map { name($0) })
    while try step() { try row((0..<columnCount).map { value($0) }) }
  }

  /// Returns the value of a column in its storage class.
  private borrowing func value(_ column: Int32) -> Value {
    switch storage(column) {
    case .null: .null
    case .integer: .int(int(column))
    case .real: .double(real(column))
    case .text: .string(String(decoding: bytes(column), as: UTF8.self))
    case .blob: .data(Data(bytes(column)))
    }
  }
}
