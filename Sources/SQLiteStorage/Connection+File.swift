import CSQLite

/// The files of a connection.
extension Connection {
  /// The absolute path of the file with symbolic links resolved; empty if there is no file.
  ///
  /// The name of the write-ahead log is derived from it.
  package var filePath: String {
    sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? ""
  }

  /// The current size of the write-ahead log in bytes; 0 if there is no log.
  package var logByteCount: Int64 { get throws(SQLiteError) { try Self.logByteCount(handle) } }

  /// The size of a frame header in the write-ahead log, in bytes.
  ///
  /// See https://sqlite.org/fileformat2.html#the_write_ahead_log.
  package static let logFrameHeaderSize: Int64 = 24
  /// The size of the header of the write-ahead log, in bytes.
  package static let logHeaderSize: Int64 = 32
}
