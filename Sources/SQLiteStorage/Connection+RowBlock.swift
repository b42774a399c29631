import CSQLite

extension Connection {
  /// Shows a block as a table: `key`, and `c0`, `c1` and so on
  /// (https://sqlite.org/vtab.html#eponymous_virtual_tables).
  ///
  /// The block must stay where it is until the connection is closed, and its rows must not change
  /// while a statement that reads them runs.
  ///
  /// - Throws: ``SQLiteError`` when memory runs out.
  package borrowing func showTable(
    _ name: String,
    of block: UnsafeMutablePointer<RowBlock>
  ) throws(SQLiteError) {
    let code = sqlite3_create_module_v2(handle, name, rowModule, block, nil)
    guard code == SQLITE_OK else { throw SQLiteError(handle, code: code, sql: name) }
  }

  /// Gives SQL a function that answers the values of a block: of the row with the key that is the
  /// first argument, in the column whose number is the second; null when there is no such row.
  ///
  /// The block as for ``showTable(_:of:)``; each statement must ask for rising keys.
  ///
  /// - Throws: ``SQLiteError`` when memory runs out.
  package borrowing func showValues(
    _ name: String,
    of block: UnsafeMutablePointer<RowBlock>
  ) throws(SQLiteError) {
    let code = sqlite3_create_function_v2(
      handle,
      name,
      2,
      SQLITE_UTF8 | SQLITE_DIRECTONLY,
      block,
      answerValue,
      nil,
      nil,
      nil
    )
    guard code == SQLITE_OK else { throw SQLiteError(handle, code: code, sql: name) }
  }
}

/// Where SQLite takes the value of a function or of a table's column; null unless it is set.
struct SQLAnswer {
  let context: OpaquePointer

  func set(_ value: Int64) { sqlite3_result_int64(context, value) }

  func set(_ value: Double) { sqlite3_result_double(context, value) }

  func set(borrowedText bytes: UnsafeRawBufferPointer) {
    let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    sqlite3_result_text64(context, text, UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
  }

  func set(borrowed bytes: UnsafeRawBufferPointer) {
    sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), nil)
  }
}

private let answerValue:
  @convention(c) (
    OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
  ) -> Void = { context, _, values in
    guard let context, let values,
      let block = sqlite3_user_data(context)?.assumingMemoryBound(to: RowBlock.self),
      let row = block.pointee.row(withKey: sqlite3_value_int64(values[0]))
    else { return }
    let column = Int(sqlite3_value_int64(values[1]))
    block.pointee.answer(row, column: column, to: SQLAnswer(context: context))
  }

/// A block as SQLite opens it; SQLite's own part comes first.
private struct RowTable {
  var base = sqlite3_vtab()
  let block: UnsafeMutablePointer<RowBlock>
}

/// A place in a block; SQLite's own part comes first.
private struct RowCursor {
  var base = sqlite3_vtab_cursor()
  let block: UnsafeMutablePointer<RowBlock>
  var row = 0
}

/// What SQLite calls to read a block from its first row to its last; the methods are in the order in
/// which it calls them.
nonisolated(unsafe) private let rowModule: UnsafeMutablePointer<sqlite3_module> = {
  let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
  module.initialize(to: sqlite3_module())
  module.pointee.iVersion = 1
  module.pointee.xConnect = { connection, block, _, _, table, _ in
    guard let block = block?.assumingMemoryBound(to: RowBlock.self) else { return SQLITE_ERROR }
    let made = UnsafeMutablePointer<RowTable>.allocate(capacity: 1)
    made.initialize(to: RowTable(block: block))
    table?.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab.self)
    let columns = (0..<block.pointee.columnCount).map { ", c\($0)" }.joined()
    return sqlite3_declare_vtab(connection, "CREATE TABLE rows(key\(columns))")
  }
  module.pointee.xBestIndex = { _, plan in
    plan?.pointee.estimatedCost = 1
    return SQLITE_OK
  }
  module.pointee.xOpen = { table, cursor in
    guard let table = UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: RowTable.self) else {
      return SQLITE_ERROR
    }
    let made = UnsafeMutablePointer<RowCursor>.allocate(capacity: 1)
    made.initialize(to: RowCursor(block: table.pointee.block))
    cursor?.pointee = UnsafeMutableRawPointer(made)
      .assumingMemoryBound(to: sqlite3_vtab_cursor.self)
    return SQLITE_OK
  }
  module.pointee.xFilter = { cursor, _, _, _, _ in
    row(cursor)?.pointee.row = 0
    return SQLITE_OK
  }
  module.pointee.xEof = { cursor in
    guard let cursor = row(cursor) else { return 1 }
    return cursor.pointee.row < cursor.pointee.block.pointee.count ? 0 : 1
  }
  module.pointee.xColumn = { cursor, context, column in
    guard let cursor = row(cursor), let context else { return SQLITE_ERROR }
    let (block, row) = (cursor.pointee.block, cursor.pointee.row)
    if column == 0 {
      sqlite3_result_int64(context, block.pointee.key(row))
    } else {
      block.pointee.answer(row, column: Int(column) - 1, to: SQLAnswer(context: context))
    }
    return SQLITE_OK
  }
  module.pointee.xRowid = { cursor, key in
    key?.pointee = row(cursor).map { Int64($0.pointee.row) } ?? 0
    return SQLITE_OK
  }
  module.pointee.xNext = { cursor in
    row(cursor)?.pointee.row += 1
    return SQLITE_OK
  }
  module.pointee.xClose = { cursor in
    row(cursor)?.deallocate()
    return SQLITE_OK
  }
  module.pointee.xDisconnect = { table in
    UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: RowTable.self).deallocate()
    return SQLITE_OK
  }
  return module
}()

@inline(__always)
private func row(
  _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?
) -> UnsafeMutablePointer<RowCursor>? {
  UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: RowCursor.self)
}
