import CSQLite

/// What the file system holds for a connection.
extension Connection {
  /// The absolute path of the file with symbolic links resolved, which its write-ahead log is named
  /// after; empty for a database without a file.
  package var filePath: String {
    sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? ""
  }

  /// How many bytes the write-ahead log has now; 0 while there is none.
  package var logByteCount: Int64 { get throws(SQLiteError) { try Self.logByteCount(handle) } }

  /// How many bytes of the log one page of the file takes, and those before the first
  /// (https://sqlite.org/fileformat2.html#the_write_ahead_log).
  package static let logFrameHeaderSize: Int64 = 24
  package static let logHeaderSize: Int64 = 32
}
