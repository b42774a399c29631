import SQLiteStorage

/// The conditions with which one statement selects many rows by their keys.
///
/// Keys form a range, or a list that is padded with the last key when it has fewer than ``count``
/// keys.
enum KeyList {
  /// The number of keys of one list.
  static let count = 64
  /// The condition of a range, whose ends are `?1` and `?2`.
  static let range = "_key BETWEEN ?1 AND ?2"
  /// The condition of a list.
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

  /// Runs a statement for a list of keys, once for each ``count`` of them.
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
