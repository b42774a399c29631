public import PersistentHistory
import SQLiteStorage

/// The rows that an SQL query answers with.
public struct QueryResult: Sendable, Hashable {
  /// The names of the columns.
  public let columns: [String]
  /// The values of each row: integers, doubles, strings, data and nulls, as SQLite has them.
  public let rows: [[Value]]
}

extension Store {
  /// Answers an SQL query over the history, the objects, and whatever else the file holds.
  ///
  /// The changes of the history are rows of the table `history_changes`, in either layout: `number`,
  /// `place` (both together are the change's identity), `timestamp` (seconds since 2001-01-01 UTC),
  /// `author`, `context`, `bundle`, `process`, `entity`, `key`, `type` (`insert`, `update`, `delete`),
  /// `properties` (of an update, a JSON array of names) and `tombstone` (of a delete, a JSON object).
  /// They come in the order of their numbers, and what is compared with a number is all that is read:
  ///
  /// ```swift
  /// try store.query(
  ///   "SELECT author, count(*) FROM history_changes WHERE number > ? GROUP BY author",
  ///   [.int(40)]
  /// )
  /// ```
  ///
  /// - Throws: ``HistoryError/sqlite(_:)`` when the text is no query, would do more than read, or has
  ///   another number of places for values; ``HistoryError/damagedTransaction(_:)`` when the changes of
  ///   a transaction cannot be read; nothing is changed in any case.
  /// - Complexity: linear in the changes within the limits on `number`, a page of them in memory, with
  ///   all rows of the answer.
  public func query(_ sql: String, _ values: [Value] = []) throws(HistoryError) -> QueryResult {
    var names: [String] = []
    var rows: [[Value]] = []
    try query(sql, values, showsTombstones: true, columns: { names = $0 }, row: { rows.append($0) })
    return QueryResult(columns: names, rows: rows)
  }

  /// Answers an SQL query row by row, and says whether it asks for what is not to be shown: tombstones
  /// are null then.
  ///
  /// - Throws: as ``query(_:_:)``, and what the closures throw.
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
  /// Whether a column holds values that deleted objects left behind.
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
  /// Binds the values, and hands over the names of the columns and each row.
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

  /// The value of a column in its storage class.
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
