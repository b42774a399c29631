package import HistoryTypes
import SQLiteStorage

extension StoreCore {
  /// Inserts a transaction, and a row for each of its packed changes.
  func insertRows(_ record: TransactionRecord) throws {
    let row = try statement(.insertTransaction)
    row.statement.bind(record.number, at: 1)
    row.statement.bind(record.mark, at: 2)
    row.statement.bind(string: record.author, at: 3)
    row.statement.bind(string: record.bundle, at: 4)
    row.statement.bind(string: record.contextName, at: 5)
    row.statement.bind(string: record.process, at: 6)
    row.statement.bind(record.timestamp, at: 7)
    try row.statement.run()
    try raise(CoreDataEntity.transaction, to: record.number)
    guard packed.count > 0 else { return }
    var key = try reserve(packed.count, of: Int32(CoreDataEntity.change))
    let insert = try query(schema.coreData.insertChange)
    insert.statement.bind(record.number, at: 5)
    for index in 0..<packed.chunkCount {
      let unpacker = ChangeUnpacker()
      guard unpacker.append(packed.chunk(index)) else {
        throw HistoryError.damagedTransaction(record.number)
      }
      try insertRows(unpacker, from: &key, insert)
    }
  }

  private func insertRows(
    _ unpacker: ChangeUnpacker,
    from key: inout Int64,
    _ insert: PreparedStatement
  ) throws {
    for change in unpacker.changes {
      insert.statement.bind(key, at: 1)
      insert.statement.bind(Int64(change.type.rawValue), at: 2)
      insert.statement.bind(Int64(change.entity), at: 3)
      insert.statement.bind(change.key, at: 4)
      let (start, length) = (Int(change.tombstoneStart), Int(change.tombstoneLength))
      try unpacker.tombstones.withBytes(at: start, count: length) { bytes in
        bindColumns(of: change, bytes, to: insert)
        try bindTombstone(of: change, bytes, to: insert)
        try insert.statement.run()
      }
      key += 1
    }
  }

  /// Binds the bitmap of an update, or null for other changes.
  private func bindColumns(
    of change: ChangeRecord,
    _ rest: UnsafeRawBufferPointer,
    to insert: PreparedStatement
  ) {
    guard change.type == .update else { return insert.statement.bindNull(at: 6) }
    scratch.removeAll()
    CoreDataBitmap.append(change.columns, rest, to: &scratch)
    insert.statement.bind(borrowed: scratch.bytes, at: 6)
  }

  /// Binds the preserved values of a delete to the tombstone columns, or nulls for other changes.
  ///
  /// The tombstone columns belong, in order, to the attributes of the object's entity whose values
  /// deletes preserve or once preserved.
  private func bindTombstone(
    of change: ChangeRecord,
    _ bytes: UnsafeRawBufferPointer,
    to insert: PreparedStatement
  ) throws {
    for column in 0..<schema.coreData.tombstoneCount {
      insert.statement.bindNull(at: CoreDataStatements.firstTombstonePlace + Int32(column))
    }
    guard change.type == .delete, !bytes.isEmpty else { return }
    let preserved = tombstoneBits(of: change.entity)
    var reader = ByteReader(bytes)
    while !reader.isAtEnd {
      guard let (attribute, value) = Tombstone.next(&reader) else {
        throw HistoryError.damaged(path: path, what: "a packed tombstone cannot be read")
      }
      let place = (preserved & (1 << UInt64(attribute) - 1)).nonzeroBitCount
      insert.statement.bind(
        borrowed: value,
        at: CoreDataStatements.firstTombstonePlace + Int32(place)
      )
    }
  }

  /// Returns a bitmap of the attributes that have a tombstone column.
  ///
  /// The attribute of the lowest bit has the first column, and so on. If the attributes of the
  /// entity are unknown, each tombstone column counts as one attribute.
  private func tombstoneBits(of entity: Int32) -> UInt64 {
    let offset = Int(entity) - 1
    if schema.tombstonePlaces.indices.contains(offset), let known = schema.tombstonePlaces[offset] {
      return known
    }
    return schema.coreData.tombstoneCount == 64
      ? .max : 1 << UInt64(schema.coreData.tombstoneCount) - 1
  }

  /// Raises the greatest key of an entity in `Z_PRIMARYKEY`.
  func raise(_ entity: Int64, to key: Int64) throws {
    let raise = try statement(.raiseKey)
    raise.statement.bind(entity, at: 1)
    raise.statement.bind(key, at: 2)
    try raise.statement.run()
  }

  /// Reads the rows of a scan's current transaction in batches.
  func readRows(into scan: inout HistoryScan) throws {
    let rows = try query(schema.coreData.changes)
    rows.statement.bind(scan.record.number, at: 1)
    rows.statement.bind(scan.batch * CoreDataStatements.batchCount, at: 2)
    defer { rows.statement.reset() }
    var count: Int64 = 0
    while try rows.statement.step() {
      guard append(rows.statement, to: scan.unpacker) else {
        throw HistoryError.damagedTransaction(scan.record.number)
      }
      count += 1
      if count % CoreDataStatements.batchCount == 0, !scan.endBatch() { return }
    }
    if count % CoreDataStatements.batchCount != 0 { _ = scan.endBatch() }
  }

  private func append(_ row: borrowing Statement, to unpacker: ChangeUnpacker) -> Bool {
    guard row.storage(0) == .integer, let entity = Int32(exactly: row.int(0)), entity >= 0,
      row.storage(1) == .integer, row.storage(2) == .integer,
      let type = UInt8(exactly: row.int(2)).flatMap(ChangeType.init(rawValue:))
    else { return false }
    var change = ChangeRecord(
      key: row.int(1),
      columns: 0,
      entity: entity,
      tombstoneStart: 0,
      tombstoneLength: 0,
      type: type
    )
    switch type {
    case .insert: break
    case .update:
      let (columns, rest) = CoreDataBitmap.split(row.bytes(3))
      change.columns = mappings.isEmpty ? columns : indices(of: columns, entity)
      guard rest.withUnsafeBytes({ unpacker.keep($0, for: &change) }) else { return false }
    case .delete:
      scratch.removeAll()
      scratch.append(tombstoneOf: tombstoneBits(of: entity), in: row, from: 4)
      guard unpacker.keep(scratch.bytes, for: &change) else { return false }
    }
    unpacker.changes.append(change)
    return true
  }

  /// Sets the writer (context ID) of each scanned transaction from its process string.
  func findWriters(in scan: inout HistoryScan) {
    guard layout == .coreData else { return }
    for index in scan.records.indices {
      scan.records[index].writer = cache.strings.label(of: scan.records[index].process)?.writer ?? 0
    }
  }
}

extension Statement {
  /// Binds the number of an interned string, or null for 0.
  borrowing func bind(string number: Int32, at position: Int32) {
    if number == 0 { bindNull(at: position) } else { bind(Int64(number), at: position) }
  }

  /// Binds a value in its storage class; its bytes must stay valid until the statement has run.
  borrowing func bind(borrowed value: Tombstone.Stored, at position: Int32) {
    switch value {
    case .integer(let value): bind(value, at: position)
    case .real(let value): bind(value, at: position)
    case .text(let bytes): bind(borrowedText: bytes, at: position)
    case .blob(let bytes): bind(borrowed: bytes, at: position)
    }
  }
}

/// The statements on the table of changes, which depend on the number of tombstone columns.
struct CoreDataStatements {
  /// The number of tombstone columns in the table of changes.
  let tombstoneCount: Int
  /// The position of the SQL parameter for the first tombstone column.
  static let firstTombstonePlace: Int32 = 7
  /// SQL that inserts a change: key, type, entity, object, transaction, columns, tombstones.
  let insertChange: String
  /// The number of rows of changes in one batch of a scan.
  static let batchCount: Int64 = 1024
  /// SQL for the changes of transaction `?1`: entity, object, type, columns, tombstones.
  ///
  /// The first `?2` changes are skipped.
  let changes: String

  init(tombstoneCount: Int) {
    self.tombstoneCount = tombstoneCount
    let names = HistoryLayout.tombstoneColumns(tombstoneCount).map { ", \($0)" }.joined()
    let places = (0..<tombstoneCount).map { ", ?\($0 + 7)" }.joined()
    insertChange = """
      INSERT INTO ACHANGE(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, \
      ZCOLUMNS\(names)) VALUES(?1, \(CoreDataEntity.change), ?2, ?3, ?4, ?5, ?6\(places))
      """
    changes = """
      SELECT ZENTITY, ZENTITYPK, ZCHANGETYPE, ZCOLUMNS\(names) FROM ACHANGE
      WHERE ZTRANSACTIONID = ?1 ORDER BY Z_PK LIMIT -1 OFFSET ?2
      """
  }
}

/// The bitmap of updated columns in Core Data's format.
///
/// The most significant bit of each byte comes first; trailing zero bytes are left out.
package enum CoreDataBitmap {
  /// Splits a bitmap into its first 64 columns as bits and the others as bytes.
  ///
  /// In `columns` and in each byte of `rest`, the least significant bit comes first. `rest` has no
  /// trailing zero bytes.
  package static func split(_ bytes: UnsafeRawBufferPointer) -> (columns: UInt64, rest: [UInt8]) {
    var columns: UInt64 = 0
    for (index, byte) in bytes.prefix(8).enumerated() {
      columns |= UInt64(reversed(byte)) << UInt64(8 * index)
    }
    var rest = bytes.dropFirst(8).map(reversed)
    while rest.last == 0 { rest.removeLast() }
    return (columns, rest)
  }

  /// Appends a bitmap of updated columns to `bytes` in Core Data's format.
  ///
  /// `columns` has the bits of the first 64 columns and `rest` the bytes of the others, in the form
  /// that ``split(_:)`` returns.
  package static func append(
    _ columns: UInt64,
    _ rest: UnsafeRawBufferPointer,
    to bytes: inout ByteWriter
  ) {
    var columns = columns
    var written = 0
    while columns != 0 || (written < 8 && !rest.isEmpty) {
      bytes.append(reversed(UInt8(truncatingIfNeeded: columns)))
      columns >>= 8
      written += 1
    }
    for byte in rest { bytes.append(reversed(byte)) }
  }

  private static func reversed(_ byte: UInt8) -> UInt8 {
    (0..<8).reduce(0) { $0 << 1 | (byte >> UInt8($1) & 1) }
  }
}
