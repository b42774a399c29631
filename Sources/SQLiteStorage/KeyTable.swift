import CSQLite

/// An array of integers that the SQL of one connection sees as the rows of a table with one column,
/// `key`, in the order of the array (https://sqlite.org/vtab.html).
///
/// Joining with it visits the rows of another table by their keys in one statement: a third less
/// than a statement a key, and half of a list of bound values.
package final class KeyTable {
  fileprivate var keys = UnsafeBufferPointer<Int64>(start: nil, count: 0)

  /// Gives a connection a table; it has no rows but while ``show(_:to:)`` runs.
  ///
  /// - Throws: ``SQLiteError`` when memory runs out.
  package init(_ name: String, _ connection: borrowing Connection) throws(SQLiteError) {
    // SQLite releases the table when the connection is closed, and when this call fails.
    let code = sqlite3_create_module_v2(
      connection.handle,
      name,
      module,
      Unmanaged.passRetained(self).toOpaque(),
      releaseKeys
    )
    guard code == SQLITE_OK else {
      throw SQLiteError(connection.handle, code: code, sql: name)
    }
  }

  /// Lets a closure run statements that see some keys.
  package func show<Result>(_ keys: [Int64], to body: () throws -> Result) rethrows -> Result {
    try keys.withUnsafeBufferPointer { keys in
      self.keys = keys
      defer { self.keys = UnsafeBufferPointer(start: nil, count: 0) }
      return try body()
    }
  }
}

private let releaseKeys: @convention(c) (UnsafeMutableRawPointer?) -> Void = { keys in
  if let keys { Unmanaged<KeyTable>.fromOpaque(keys).release() }
}

/// What SQLite calls; without a way to create a table, so that one is there by its name alone.
///
/// SQLite keeps the pointer and changes nothing behind it.
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
  keys: UnsafeMutableRawPointer?,
  count: Int32,
  arguments: UnsafePointer<UnsafePointer<CChar>?>?,
  result: UnsafeMutablePointer<Table?>?,
  message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  guard let made = room(for: csqlite_key_table(base: sqlite3_vtab(), keys: keys)) else {
    return SQLITE_NOMEM
  }
  result?.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab.self)
  return sqlite3_declare_vtab(connection, "CREATE TABLE keys(key INTEGER)")
}

/// One value of memory that SQLite frees.
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
  guard let made = room(for: csqlite_key_cursor()) else { return SQLITE_NOMEM }
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
  guard let cursor, let table = cursor.pointee.pVtab else { return SQLITE_MISUSE }
  let owner = UnsafeMutableRawPointer(table).assumingMemoryBound(to: csqlite_key_table.self)
  guard let keys = owner.pointee.keys else { return SQLITE_MISUSE }
  let shown = Unmanaged<KeyTable>.fromOpaque(keys)._withUnsafeGuaranteedRef { $0.keys }
  place(cursor).pointee.next = shown.baseAddress
  place(cursor).pointee.end = shown.baseAddress.map { $0 + shown.count }
  return SQLITE_OK
}

@inline(__always)
private func place(_ cursor: Cursor) -> UnsafeMutablePointer<csqlite_key_cursor> {
  UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: csqlite_key_cursor.self)
}

private func advance(cursor: Cursor?) -> Int32 {
  guard let cursor else { return SQLITE_MISUSE }
  place(cursor).pointee.next = place(cursor).pointee.next?.advanced(by: 1)
  return SQLITE_OK
}

private func isAtEnd(cursor: Cursor?) -> Int32 {
  guard let cursor else { return 1 }
  return place(cursor).pointee.next == place(cursor).pointee.end ? 1 : 0
}

private func answer(cursor: Cursor?, context: OpaquePointer?, column: Int32) -> Int32 {
  guard let cursor, let key = place(cursor).pointee.next else { return SQLITE_MISUSE }
  sqlite3_result_int64(context, key.pointee)
  return SQLITE_OK
}

private func answerRow(cursor: Cursor?, row: UnsafeMutablePointer<sqlite3_int64>?) -> Int32 {
  guard let cursor, let key = place(cursor).pointee.next else { return SQLITE_MISUSE }
  row?.pointee = key.pointee
  return SQLITE_OK
}
