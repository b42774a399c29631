import HistoryTypes
import SQLiteStorage

/// Updates attributes of objects from a batch request's buffered rows, and records the changes.
///
/// One statement updates all rows with ascending keys: it finds each row by its key and calls an SQL
/// function for each value. It costs half as much as one statement per row.
final class RowUpdater {
  /// From this number of rows on, one statement over consecutive keys costs less than one per row.
  private static let rangeCountMin = 4
  /// From this number of rows on, statements over lists of keys cost less than one per row.
  private static let listCountMin = 24

  /// The attributes to set, as bits.
  let columns: UInt64
  /// A bitmap of the attributes to set, by attribute number in the file.
  private let changed: UInt64
  private let number: Int32
  private let collector: RowCollector
  private let rows: UnsafeMutablePointer<RowBlock>
  private let one: PreparedStatement
  private let range: PreparedStatement
  private let list: PreparedStatement
  /// The greatest key updated so far; an object with a greater key was not updated by this request.
  private var greatestKey = Int64.min

  /// Creates an updater whose statements read the buffered values through the SQL function `function`.
  init(
    _ table: EntityStatements,
    _ columns: UInt64,
    values function: String,
    _ collector: RowCollector,
    _ connection: borrowing Connection
  ) throws {
    self.columns = columns
    changed = table.numbers(of: columns)
    self.collector = collector
    number = table.number
    rows = table.rows.block
    let (name, names) = (table.tableName, table.columnNames)
    let set = names.indices.filter { columns >> UInt64($0) & 1 == 1 }
    let bound = set.map { ", \"\(names[$0])\" = ?\($0 + 4)" }.joined()
    one = try PreparedStatement(
      connection,
      """
      UPDATE "\(name)" SET _version = ?2\(bound)
      WHERE _key = ?1 AND (?3 IS NULL OR _version <> ?3)
      """
    )
    let asked = set.map { ", \"\(names[$0])\" = \(function)(_key, \($0))" }.joined()
    // A failed request is rolled back as a whole, so the statement need not undo the rows that it
    // wrote before a duplicate. SQLite keeps a statement journal nevertheless, because the statement
    // calls SQL functions.
    let many = "UPDATE OR FAIL \"\(name)\" SET _version = history_update(_key)\(asked) WHERE "
    range = try PreparedStatement(connection, many + KeyList.range)
    list = try PreparedStatement(connection, many + KeyList.sql)
  }

  func begin() { greatestKey = .min }

  /// Updates the objects of the buffered rows, adds the changes to `packer`, and clears the buffer.
  func flush(
    version: Int64,
    _ packer: inout ChangePacker,
    _ connection: borrowing Connection
  ) throws {
    defer { rows.pointee.removeAll() }
    var start = 0
    while start < rows.pointee.count {
      let end = rows.pointee.risingEnd(from: start)
      try update(start..<end, version, &packer, connection)
      greatestKey = max(greatestKey, rows.pointee.key(end - 1))
      start = end
    }
  }

  /// Updates rows with ascending keys by a range or by lists of keys.
  ///
  /// A few rows, and rows that the request may have updated before, are updated one by one.
  private func update(
    _ rising: Range<Int>,
    _ version: Int64,
    _ packer: inout ChangePacker,
    _ connection: borrowing Connection
  ) throws {
    let (first, last) = (
      rows.pointee.key(rising.lowerBound), rows.pointee.key(rising.upperBound - 1)
    )
    let isRun = last &- first == Int64(rising.count - 1)
    guard first > greatestKey, rising.count >= (isRun ? Self.rangeCountMin : Self.listCountMin)
    else {
      return try updateEach(rising, version, &packer, connection)
    }
    try collector.collect(number, columns: changed, version: version, into: &packer) {
      rows.pointee.read(from: rising.lowerBound)
      if isRun {
        try KeyList.run(range, from: first, through: last)
      } else {
        try KeyList.run(list, rising.lazy.map { self.rows.pointee.key($0) })
      }
    }
  }

  /// Updates one row after the other.
  ///
  /// An object that occurs twice keeps the last values, and counts as one change.
  private func updateEach(
    _ some: Range<Int>,
    _ version: Int64,
    _ packer: inout ChangePacker,
    _ connection: borrowing Connection
  ) throws {
    one.statement.bind(version, at: 2)
    for row in some {
      let key = rows.pointee.key(row)
      one.statement.bind(key, at: 1)
      rows.pointee.bind(row, columns, to: one.statement, at: 4)
      if try updateOne(mayBeSecond: key <= greatestKey, connection, version) {
        packer.update(number, key, changed)
      }
      greatestKey = max(greatestKey, key)
    }
  }

  /// Updates the row with the bound key.
  ///
  /// Returns `false` if the row does not exist, or if this batch request updated it before.
  private func updateOne(
    mayBeSecond: Bool,
    _ connection: borrowing Connection,
    _ version: Int64
  ) throws -> Bool {
    if mayBeSecond { one.statement.bind(version, at: 3) } else { one.statement.bindNull(at: 3) }
    try one.statement.run()
    let isFirst = connection.changes == 1
    guard mayBeSecond && !isFirst else { return isFirst }
    one.statement.bindNull(at: 3)
    try one.statement.run()
    return false
  }
}
