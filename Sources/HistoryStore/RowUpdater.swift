import PersistentHistory
import SQLiteStorage

/// Updates some attributes of objects with the rows that a batch request has set, and packs the
/// changes.
///
/// Rows whose keys rise are updated by one statement, which goes to each by its key and asks for its
/// values; that costs half of what a statement for each does.
final class RowUpdater {
  /// From how many rows on a range or a list is less work than a statement for each.
  private static let rangeCountMin = 4
  private static let listCountMin = 24

  /// The attributes that are set.
  let columns: UInt64
  private let number: Int32
  private let collector: RowCollector
  private let rows: UnsafeMutablePointer<RowBlock>
  private let one: PreparedStatement
  private let range: PreparedStatement
  private let list: PreparedStatement
  /// The greatest key that was updated: only one that is not greater may have come before.
  private var greatestKey = Int64.min

  /// Makes the updater of an entity the values of whose rows SQL sees through a function.
  init(
    _ table: EntityStatements,
    _ columns: UInt64,
    values function: String,
    _ collector: RowCollector,
    _ connection: borrowing Connection
  ) throws {
    self.columns = columns
    self.collector = collector
    number = table.number
    rows = table.rows.block
    let (name, attributes) = (table.entity.name, table.entity.attributes)
    let set = attributes.indices.filter { columns >> UInt64($0) & 1 == 1 }
    let bound = set.map { ", \"\(attributes[$0].name)\" = ?\($0 + 4)" }.joined()
    one = try PreparedStatement(
      connection,
      """
      UPDATE "\(name)" SET _version = ?2\(bound)
      WHERE _key = ?1 AND (?3 IS NULL OR _version <> ?3)
      """
    )
    let asked = set.map { ", \"\(attributes[$0].name)\" = \(function)(_key, \($0))" }.joined()
    // What fails is rolled back as a whole: nothing must be kept to undo one statement alone.
    let many = "UPDATE OR FAIL \"\(name)\" SET _version = history_update(_key)\(asked) WHERE "
    range = try PreparedStatement(connection, many + KeyList.range)
    list = try PreparedStatement(connection, many + KeyList.sql)
  }

  /// Begins a request.
  func begin() { greatestKey = .min }

  /// Updates the rows that are set, packs those that were there, and forgets them all.
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

  /// Updates rows whose keys rise.
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
    try collector.collect(number, columns: columns, version: version, into: &packer) {
      rows.pointee.read(from: rising.lowerBound)
      if isRun {
        try KeyList.run(range, from: first, through: last)
      } else {
        try KeyList.run(list, rising.lazy.map { self.rows.pointee.key($0) })
      }
    }
  }

  /// Updates one row after the other: an object that comes twice keeps the last values, and is one
  /// change.
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
        packer.update(number, key, columns)
      }
      greatestKey = max(greatestKey, key)
    }
  }

  /// Updates the row that is bound, and answers whether it was there and had not been updated yet.
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
