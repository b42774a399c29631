public import CSQLite

/// The destructor value that makes SQLite copy bound bytes before the call returns.
let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// The destructor with which SQLite frees the bytes that ``Statement`` copied.
private let freed: sqlite3_destructor_type = { $0?.deallocate() }

/// A prepared statement, finalized when it goes out of scope.
///
/// Bind positions count from 1, columns from 0. Release a statement before its connection: SQLite
/// keeps a closed connection open until its statements are finalized.
@usableFromInline
package struct Statement: ~Copyable {
  @usableFromInline
  package let handle: OpaquePointer

  /// Prepares the statement for repeated use.
  ///
  /// - Throws: ``SQLiteError`` if the SQL is invalid, or does not match the schema.
  package init(_ connection: borrowing Connection, _ sql: String) throws(SQLiteError) {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection.handle,
      sql,
      -1,
      UInt32(SQLITE_PREPARE_PERSISTENT),
      &prepared,
      nil
    )
    guard code == SQLITE_OK else { throw SQLiteError(connection.handle, code: code, sql: sql) }
    guard let prepared else {
      throw SQLiteError(
        code: SQLITE_MISUSE,
        message: "the text contains no SQL statement",
        sql: sql
      )
    }
    handle = prepared
  }

  deinit { sqlite3_finalize(handle) }

  @inlinable
  @inline(__always)
  package borrowing func bind(_ value: Int64, at position: Int32) {
    sqlite3_bind_int64(handle, position, value)
  }

  @inlinable
  @inline(__always)
  package borrowing func bind(_ value: Double, at position: Int32) {
    sqlite3_bind_double(handle, position, value)
  }

  @inlinable
  @inline(__always)
  package borrowing func bindNull(at position: Int32) {
    sqlite3_bind_null(handle, position)
  }

  /// Binds a copy of the text.
  package borrowing func bind(_ text: String, at position: Int32) {
    var text = text
    text.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      guard bindText(bytes, copied, at: position) == SQLITE_NOMEM else { return }
      // If SQLite has no memory for its copy, the value would stay null: bind a copy made here
      // instead.
      _ = bindText(Self.copy(bytes), freed, at: position)
    }
  }

  private borrowing func bindText(
    _ bytes: UnsafeRawBufferPointer,
    _ destructor: sqlite3_destructor_type,
    at position: Int32
  ) -> Int32 {
    sqlite3_bind_text64(
      handle,
      position,
      bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? emptyText,
      UInt64(bytes.count),
      bytes.baseAddress == nil ? nil : destructor,
      UInt8(SQLITE_UTF8)
    )
  }

  /// Copies bytes into newly allocated memory, and returns the copy, which ``freed`` deallocates.
  private static func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 16)
    copy.copyMemory(from: bytes)
    return UnsafeRawBufferPointer(rebasing: copy[..<bytes.count])
  }

  /// Binds a copy of the text, or null if the text is `nil`.
  package borrowing func bind(_ text: String?, at position: Int32) {
    if let text { bind(text, at: position) } else { bindNull(at: position) }
  }

  /// Binds a copy of the bytes; empty bytes are bound as an empty blob, not as null.
  package borrowing func bind(copying bytes: UnsafeRawBufferPointer, at position: Int32) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else {
      sqlite3_bind_zeroblob(handle, position, 0)
      return
    }
    let count = UInt64(bytes.count)
    guard sqlite3_bind_blob64(handle, position, start, count, copied) == SQLITE_NOMEM else {
      return
    }
    sqlite3_bind_blob64(handle, position, Self.copy(bytes).baseAddress, count, freed)
  }

  /// Binds bytes without a copy; they must stay valid until the statement is bound again.
  @inlinable
  @inline(__always)
  package borrowing func bind(borrowed bytes: UnsafeRawBufferPointer, at position: Int32) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else {
      sqlite3_bind_zeroblob(handle, position, 0)
      return
    }
    sqlite3_bind_blob64(handle, position, start, UInt64(bytes.count), nil)
  }

  /// Binds text without a copy; the bytes must stay valid until the statement is bound again.
  @inlinable
  @inline(__always)
  package borrowing func bind(borrowedText bytes: UnsafeRawBufferPointer, at position: Int32) {
    let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    sqlite3_bind_text64(
      handle,
      position,
      text ?? emptyText,
      UInt64(bytes.count),
      nil,
      UInt8(SQLITE_UTF8)
    )
  }

  /// Advances to the next row; returns `false` after the last row.
  ///
  /// - Throws: ``SQLiteError``; the statement is then reset.
  @inlinable
  @inline(__always)
  package borrowing func step() throws(SQLiteError) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    throw failure(code)
  }

  /// Runs the statement to its end and resets it.
  ///
  /// - Throws: ``SQLiteError``; the statement is then reset.
  @inlinable
  @inline(__always)
  package borrowing func run() throws(SQLiteError) {
    while try step() {}
    sqlite3_reset(handle)
  }

  /// Resets the statement so that it can run again; bound values remain bound.
  @inlinable
  @inline(__always)
  package borrowing func reset() {
    sqlite3_reset(handle)
  }

  @usableFromInline
  package borrowing func failure(_ code: Int32) -> SQLiteError {
    let sql = sqlite3_sql(handle).map { String(cString: $0) } ?? ""
    let error = SQLiteError(sqlite3_db_handle(handle), code: code, sql: sql)
    sqlite3_reset(handle)
    return error
  }

  @inlinable
  @inline(__always)
  package borrowing func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  @inlinable
  @inline(__always)
  package borrowing func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  @inlinable
  @inline(__always)
  package borrowing func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  /// Returns the storage class of a column's value.
  @inlinable
  @inline(__always)
  package borrowing func storage(_ column: Int32) -> ColumnStorage {
    ColumnStorage(code: sqlite3_column_type(handle, column))
  }

  /// Returns the bytes of a text or blob column; valid until the next step or reset.
  @inlinable
  @inline(__always)
  package borrowing func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(
      start: start,
      count: Int(sqlite3_column_bytes(handle, column))
    )
  }

  /// Returns the text of a column, or `nil` for null.
  package borrowing func text(_ column: Int32) -> String? {
    isNull(column) ? nil : String(decoding: bytes(column), as: UTF8.self)
  }

  /// The number of columns in a row of the result.
  package var columnCount: Int32 { sqlite3_column_count(handle) }

  package borrowing func name(_ column: Int32) -> String {
    sqlite3_column_name(handle, column).map { String(cString: $0) } ?? ""
  }

  /// Returns how often SQLite prepared the statement again since the last call of this method.
  ///
  /// SQLite does so when the statement runs after this or another connection changed the schema
  /// (https://sqlite.org/c3ref/c_stmtstatus_counter.html).
  @inlinable
  @inline(__always)
  package borrowing func takePreparations() -> Int32 {
    sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 1)
  }

  /// Returns the number of virtual machine steps since the last call: an exact measure of work.
  ///
  /// See https://sqlite.org/c3ref/c_stmtstatus_counter.html.
  package borrowing func takeSteps() -> Int32 {
    sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1)
  }
}

/// A storage class of SQLite (https://sqlite.org/datatype3.html).
@usableFromInline
package enum ColumnStorage: Sendable {
  case null
  case integer
  case real
  case text
  case blob

  /// Creates the storage class from SQLite's type code.
  @inlinable
  @inline(__always)
  init(code: Int32) {
    switch code {
    case SQLITE_INTEGER: self = .integer
    case SQLITE_FLOAT: self = .real
    case SQLITE_TEXT: self = .text
    case SQLITE_BLOB: self = .blob
    default: self = .null
    }
  }
}

/// A non-null address for binding an empty string, because SQLite binds a null pointer as null.
@usableFromInline
nonisolated(unsafe) let emptyText: UnsafePointer<CChar> = {
  let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
  byte.pointee = 0
  return UnsafePointer(byte)
}()
