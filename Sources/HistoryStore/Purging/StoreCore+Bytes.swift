import SQLiteStorage

extension HistoryLayout {
  /// The size of a transaction's row without changes, in bytes; in `coreData` with index entries.
  private var transactionBytes: Int { self == .packed ? 44 : 82 }
  /// The size of a change's row and index entry without its columns and tombstones, in bytes.
  private static let changeBytes = 34

  /// SQL for the size of the transactions above one number through another, in bytes.
  func bytes(tombstoneCount: Int) -> String {
    let transactions = "\(transactions) WHERE \(number) > ?1 AND \(number) <= ?2"
    switch self {
    case .packed:
      return """
        SELECT (SELECT ifnull(sum(\(transactionBytes) + ifnull(length(changes), 0)), 0)
          FROM \(transactions)) + (SELECT ifnull(sum(length(changes)), 0) FROM history_chunk
          WHERE id >= (?1 + 1) << \(ChunkKey.bits) AND id < (?2 + 1) << \(ChunkKey.bits))
        """
    case .coreData:
      let values = ["ZCOLUMNS"] + Self.tombstoneColumns(tombstoneCount)
      let lengths = values.map { " + ifnull(length(CAST(\($0) AS BLOB)), 0)" }.joined()
      return """
        SELECT (SELECT count(*) * \(transactionBytes) FROM \(transactions))
          + (SELECT ifnull(sum(\(Self.changeBytes)\(lengths)), 0) FROM ACHANGE
          WHERE ZTRANSACTIONID > ?1 AND ZTRANSACTIONID <= ?2)
        """
    }
  }
}

extension StoreCore {
  /// Returns the size of the transactions above one number through another, in bytes.
  ///
  /// Free space in the pages is not included.
  ///
  /// - Complexity: one visit to each of their rows, without reading the blobs.
  func bytes(after first: Int64, through last: Int64) throws -> Int64 {
    guard first < last else { return 0 }
    let sum = try query(layout.bytes(tombstoneCount: coreData.tombstoneCount))
    sum.statement.bind(first, at: 1)
    sum.statement.bind(last, at: 2)
    defer { sum.statement.reset() }
    return try sum.statement.step() ? sum.statement.int(0) : 0
  }

  /// Returns the size of the history after each of some cursors; each transaction is visited once.
  func bytesBehind(_ cursors: [Int64], head: Int64) throws -> [Int64: Int64] {
    var bytes: [Int64: Int64] = [:]
    var (last, sum) = (head, Int64(0))
    for cursor in Set(cursors).sorted(by: >) where cursor < head {
      sum += try self.bytes(after: cursor, through: last)
      last = cursor
      bytes[cursor] = sum
    }
    return bytes
  }
}
