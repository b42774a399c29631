import CSQLite

/// An SQL table of contiguous rows in memory, each starting with its key.
final class MemoryTable {
  struct Rows {
    /// The address of the first row if the table has only keys; otherwise ``block`` has the rows.
    var first: UnsafeRawPointer?
    var count = 0
    /// The number of bytes from one row to the next.
    let stride: Int
    /// The block of rows with columns after the key, or `nil` if the table has only keys.
    let block: UnsafeMutablePointer<RowBlock>?
  }

  /// The description of the rows, at a fixed address.
  ///
  /// SQLite's callbacks read it through this pointer while Swift code runs a statement.
  let rows: UnsafeMutablePointer<Rows>

  /// Creates a table without rows, or a table of the rows of a block, which the table then owns.
  init(stride: Int, _ block: UnsafeMutablePointer<RowBlock>? = nil) {
    rows = .allocate(capacity: 1)
    rows.initialize(to: Rows(stride: stride, block: block))
  }

  deinit {
    rows.pointee.block?.deinitialize(count: 1)
    rows.pointee.block?.deallocate()
    rows.deallocate()
  }
}

extension Connection {
  /// Registers a table with the columns `key`, `c0`, `c1` and so on.
  ///
  /// See https://sqlite.org/vtab.html#eponymous_only_virtual_tables.
  ///
  /// - Throws: ``SQLiteError`` if memory runs out.
  borrowing func setTable(_ name: String, _ table: MemoryTable) throws(SQLiteError) {
    // SQLite releases the table when the connection is closed, and also if this call fails.
    let code = sqlite3_create_module_v2(
      handle,
      name,
      module,
      Unmanaged.passRetained(table).toOpaque(),
      releaseMemoryTable
    )
    guard code == SQLITE_OK else { throw SQLiteError(handle, code: code, sql: name) }
  }
}

/// Releases SQLite's reference to a table.
let releaseMemoryTable: @convention(c) (UnsafeMutableRawPointer?) -> Void = { table in
  if let table { Unmanaged<MemoryTable>.fromOpaque(table).release() }
}

/// The callbacks through which SQLite reads a ``MemoryTable``.
///
/// The module has no creation callback, so the table exists only under the name of the module.
/// SQLite keeps the pointer and does not modify the callbacks.
nonisolated(unsafe) private let module: UnsafePointer<sqlite3_module> = {
  var module = sqlite3_module()
  module.xConnect = connect
  module.xBestIndex = plan
  module.xDisconnect = free
  module.xOpen = open
  module.xClose = free
  module.xFilter = start
  module.xNext = advance
  module.xEof = isAtEnd
  module.xColumn = answer
  module.xRowid = answerRow
  let kept = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
  kept.initialize(to: module)
  return UnsafePointer(kept)
}()

private typealias Table = UnsafeMutablePointer<sqlite3_vtab>
private typealias Cursor = UnsafeMutablePointer<sqlite3_vtab_cursor>

private func connect(
  connection: OpaquePointer?,
  table: UnsafeMutableRawPointer?,
  count: Int32,
  arguments: UnsafePointer<UnsafePointer<CChar>?>?,
  result: UnsafeMutablePointer<Table?>?,
  message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  guard let table else { return SQLITE_MISUSE }
  let rows = Unmanaged<MemoryTable>.fromOpaque(table)._withUnsafeGuaranteedRef { $0.rows }
  let content = csqlite_memory_table(base: sqlite3_vtab(), rows: rows)
  guard let made = room(for: content) else { return SQLITE_NOMEM }
  result?.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab.self)
  let columns = (0..<(rows.pointee.block?.pointee.columnCount ?? 0)).map { ", c\($0)" }.joined()
  return sqlite3_declare_vtab(connection, "CREATE TABLE t(key INTEGER\(columns))")
}

/// Copies a value into new memory that SQLite frees; returns `nil` if memory runs out.
private func room<Content>(for content: Content) -> UnsafeMutablePointer<Content>? {
  guard let memory = sqlite3_malloc64(UInt64(MemoryLayout<Content>.size)) else { return nil }
  let room = memory.bindMemory(to: Content.self, capacity: 1)
  room.initialize(to: content)
  return room
}

private func plan(table: Table?, plan: UnsafeMutablePointer<sqlite3_index_info>?) -> Int32 {
  plan?.pointee.estimatedCost = 1
  plan?.pointee.estimatedRows = 1
  return SQLITE_OK
}

private func free(table: Table?) -> Int32 {
  sqlite3_free(table)
  return SQLITE_OK
}

private func free(cursor: Cursor?) -> Int32 {
  sqlite3_free(cursor)
  return SQLITE_OK
}

private func open(table: Table?, result: UnsafeMutablePointer<Cursor?>?) -> Int32 {
  guard let made = room(for: csqlite_memory_cursor()) else { return SQLITE_NOMEM }
  result?.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(
    to: sqlite3_vtab_cursor.self
  )
  return SQLITE_OK
}

private func start(
  cursor: Cursor?,
  plan: Int32,
  name: UnsafePointer<CChar>?,
  count: Int32,
  arguments: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
  guard let cursor, let shown = rows(cursor) else { return SQLITE_MISUSE }
  let first = shown.pointee.block?.pointee.first ?? shown.pointee.first
  let count = shown.pointee.block?.pointee.count ?? shown.pointee.count
  place(cursor).pointee.next = first
  place(cursor).pointee.end = first.map { $0 + count * shown.pointee.stride }
  place(cursor).pointee.stride = Int64(shown.pointee.stride)
  return SQLITE_OK
}

@inline(__always)
private func place(_ cursor: Cursor) -> UnsafeMutablePointer<csqlite_memory_cursor> {
  UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: csqlite_memory_cursor.self)
}

@inline(__always)
private func rows(_ cursor: Cursor) -> UnsafeMutablePointer<MemoryTable.Rows>? {
  UnsafeMutableRawPointer(cursor.pointee.pVtab)?
    .assumingMemoryBound(to: csqlite_memory_table.self).pointee.rows?
    .assumingMemoryBound(to: MemoryTable.Rows.self)
}

private func advance(cursor: Cursor?) -> Int32 {
  guard let cursor else { return SQLITE_MISUSE }
  let stride = Int(place(cursor).pointee.stride)
  place(cursor).pointee.next = place(cursor).pointee.next?.advanced(by: stride)
  return SQLITE_OK
}

private func isAtEnd(cursor: Cursor?) -> Int32 {
  guard let cursor else { return 1 }
  return place(cursor).pointee.next == place(cursor).pointee.end ? 1 : 0
}

private func answer(cursor: Cursor?, context: OpaquePointer?, column: Int32) -> Int32 {
  guard let cursor, let context, let row = place(cursor).pointee.next else {
    return SQLITE_MISUSE
  }
  if column == 0 {
    sqlite3_result_int64(context, row.load(as: Int64.self))
  } else {
    rows(cursor)?.pointee.block?.pointee.answer(
      row,
      column: Int(column) - 1,
      to: ColumnAnswer(context)
    )
  }
  return SQLITE_OK
}

private func answerRow(cursor: Cursor?, key: UnsafeMutablePointer<sqlite3_int64>?) -> Int32 {
  guard let cursor, let row = place(cursor).pointee.next else { return SQLITE_MISUSE }
  key?.pointee = row.load(as: Int64.self)
  return SQLITE_OK
}
