import CSQLite
import Faults

/// A plain connection for tests of the underlying file system.
final class Connection {
  private var handle: OpaquePointer?

  /// Opens a store on one of our file systems, or on SQLite's default VFS if it is `nil`.
  convenience init(_ path: String, on files: (any FaultySystem)?) throws {
    try self.init(path, vfs: files?.name)
  }

  /// Opens a store on the VFS with a name.
  init(_ path: String, vfs: String?) throws {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let code = sqlite3_open_v2(path, &handle, flags, vfs)
    guard code == SQLITE_OK else { throw Failure(code: code, sql: "open \(path)") }
    sqlite3_extended_result_codes(handle, 1)
  }

  deinit { sqlite3_close_v2(handle) }

  /// The code and the statement of a failure.
  struct Failure: Error, Equatable {
    var code: Int32
    var sql: String
  }

  /// Runs statements one by one; returns the last one's rows, with columns joined by a bar.
  @discardableResult
  func run(_ sql: String) throws -> [String] {
    var rows: [String] = []
    var rest: UnsafePointer<CChar>?
    return try sql.withCString { start in
      rest = start
      while let next = rest, next.pointee != 0 { rows = try step(next, &rest, sql) }
      return rows
    }
  }

  /// Returns the last extended result code of some statements.
  func code(_ sql: String) -> Int32 {
    do {
      try run(sql)
      return SQLITE_OK
    } catch let failure as Failure {
      return failure.code
    } catch {
      return SQLITE_INTERNAL
    }
  }

  private func step(
    _ start: UnsafePointer<CChar>,
    _ rest: inout UnsafePointer<CChar>?,
    _ sql: String
  ) throws -> [String] {
    var statement: OpaquePointer?
    let prepared = sqlite3_prepare_v2(handle, start, -1, &statement, &rest)
    guard prepared == SQLITE_OK else {
      throw Failure(code: sqlite3_extended_errcode(handle), sql: sql)
    }
    defer { sqlite3_finalize(statement) }
    var rows: [String] = []
    var code = sqlite3_step(statement)
    while code == SQLITE_ROW {
      rows.append(row(statement))
      code = sqlite3_step(statement)
    }
    guard code == SQLITE_DONE || statement == nil else { throw Failure(code: code, sql: sql) }
    return rows
  }

  private func row(_ statement: OpaquePointer?) -> String {
    (0..<sqlite3_column_count(statement))
      .map { sqlite3_column_text(statement, $0).map { String(cString: $0) } ?? "null" }
      .joined(separator: "|")
  }
}

extension Connection {
  /// Opens a store in WAL mode with one table.
  static func store(
    _ path: String = "app.store",
    on files: (any FaultySystem)?
  ) throws -> Connection {
    let connection = try Connection(path, on: files)
    try connection.run("PRAGMA journal_mode = WAL; CREATE TABLE item (id INTEGER PRIMARY KEY, n)")
    return connection
  }

  /// The rows of the table.
  var items: [String] {
    get throws { try run("SELECT id, n FROM item ORDER BY id") }
  }
}

extension HeapFileSystem {
  /// The image of a closed, checkpointed store in WAL mode with one table.
  static func template() throws -> FileImage {
    let files = HeapFileSystem()
    do {
      let connection = try Connection.store(on: files)
      try connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    return files.image(of: "app.store") ?? FileImage(bytes: [])
  }
}
