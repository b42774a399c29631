import HistoryTypes
import SQLiteStorage

/// The key of a chunk of packed changes: the transaction number, and the chunk index as low bits.
package enum ChunkKey {
  package static let bits: Int64 = 20
}

extension HistoryLayout {
  /// SQL that creates the tables of the layout `packed`.
  static let packedSchema = """
    CREATE TABLE history_transaction(
      number INTEGER PRIMARY KEY, timestamp REAL NOT NULL, mark INTEGER NOT NULL,
      author INTEGER NOT NULL, context INTEGER NOT NULL, bundle INTEGER NOT NULL,
      process INTEGER NOT NULL, writer INTEGER NOT NULL, count INTEGER NOT NULL,
      entities INTEGER NOT NULL, changes BLOB);
    CREATE TABLE history_chunk(id INTEGER PRIMARY KEY, changes BLOB NOT NULL);
    CREATE TABLE history_string(number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
    CREATE TABLE history_key(entity INTEGER PRIMARY KEY, next INTEGER NOT NULL);
    """

  static func deletionOfChunks(
    of transactions: String,
    from first: String,
    through last: String
  ) -> String {
    """
    DELETE FROM history_chunk
    WHERE id >= \(first) << \(ChunkKey.bits) AND id < (\(last) + 1) << \(ChunkKey.bits)
    AND id >> \(ChunkKey.bits) IN (\(transactions))
    """
  }

  static let transactionBeyondChunks = """
    SELECT id >> \(ChunkKey.bits) FROM history_chunk
    WHERE id >= ?1 << \(ChunkKey.bits) AND id < (?2 + 1) << \(ChunkKey.bits)
    ORDER BY id LIMIT 1 OFFSET ?3
    """
}

/// The numbers of a transaction's author, context, bundle and process in the table of strings.
///
/// `writer` is the ID of the context that wrote the transaction.
struct TransactionNames: Equatable {
  let author: Int32
  let contextName: Int32
  let bundle: Int32
  let process: Int32
  let writer: Int64

  init(_ record: TransactionRecord) {
    author = record.author
    contextName = record.contextName
    bundle = record.bundle
    process = record.process
    writer = record.writer
  }
}

extension StoreCore {
  /// Inserts a transaction with its packed changes, as one row or with separate chunks.
  func insertPacked(_ record: TransactionRecord) throws {
    let row = try statement(.insertTransaction)
    row.statement.bind(record.number, at: 1)
    row.statement.bind(record.timestamp, at: 2)
    row.statement.bind(record.mark, at: 3)
    bindNames(of: record, to: row)
    row.statement.bind(packed.count, at: 9)
    row.statement.bind(Int64(bitPattern: packed.entities), at: 10)
    if packed.chunkStarts.isEmpty {
      row.statement.bind(borrowed: packed.bytes.bytes, at: 11)
    } else {
      row.statement.bindNull(at: 11)
      try insertChunks(of: record.number)
    }
    try row.statement.run()
  }

  /// Binds a transaction's names, unless they are still bound from the previous transaction.
  private func bindNames(of record: TransactionRecord, to row: PreparedStatement) {
    let names = TransactionNames(record)
    guard statements.boundNames != names else { return }
    row.statement.bind(Int64(record.author), at: 4)
    row.statement.bind(Int64(record.contextName), at: 5)
    row.statement.bind(Int64(record.bundle), at: 6)
    row.statement.bind(Int64(record.process), at: 7)
    row.statement.bind(record.writer, at: 8)
    statements.boundNames = names
  }

  private func insertChunks(of number: Int64) throws {
    let chunk = try statement(.insertChunk)
    for index in 0..<packed.chunkCount {
      chunk.statement.bind(number << ChunkKey.bits | Int64(index), at: 1)
      chunk.statement.bind(borrowed: packed.chunk(index), at: 2)
      try chunk.statement.run()
    }
  }

  /// Reads the changes of a transaction from its row or from its chunks.
  func readBlobs(_ row: borrowing Statement, into scan: inout HistoryScan) throws {
    if row.isNull(9) {
      try readChunks(into: &scan)
    } else {
      try unpack(row.bytes(9), into: &scan)
    }
  }

  private func readChunks(into scan: inout HistoryScan) throws {
    let chunks = try statement(.chunks)
    let number = scan.record.number
    chunks.statement.bind(number << ChunkKey.bits + scan.batch, at: 1)
    chunks.statement.bind((number + 1) << ChunkKey.bits, at: 2)
    defer { chunks.statement.reset() }
    while try chunks.statement.step(), try unpack(chunks.statement.bytes(0), into: &scan) {}
  }

  /// Converts a column bitmap from the file's attribute numbers to the program's attribute indices.
  func indices(of columns: UInt64, _ entity: Int32) -> UInt64 {
    let offset = Int(entity) - 1
    guard mappings.indices.contains(offset), let mapping = mappings[offset] else { return columns }
    return mapping.indices(of: columns)
  }

  /// Unpacks one blob, and returns whether the scan needs another blob.
  @discardableResult
  private func unpack(
    _ blob: UnsafeRawBufferPointer,
    into scan: inout HistoryScan
  ) throws -> Bool {
    let first = scan.unpacker.changes.count
    guard scan.unpacker.append(blob) else {
      throw HistoryError.damagedTransaction(scan.record.number)
    }
    if !mappings.isEmpty {
      scan.unpacker.changes.update(from: first) { change in
        if change.type == .update { change.columns = indices(of: change.columns, change.entity) }
      }
    }
    return scan.endBatch()
  }
}
