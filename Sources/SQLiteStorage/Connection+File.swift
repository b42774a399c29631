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

extension Connection {
  /// Returns the URI with which SQLite opens an immutable file, with special bytes escaped.
  ///
  /// See https://sqlite.org/uri.html.
  static func immutableURI(of path: String) -> String {
    // Two leading slashes would be parsed as an authority, that is another machine.
    let beginning = path.hasPrefix("//") ? "//" : ""
    let escaped = path.utf8.map { byte in
      isPlain(byte) ? String(UnicodeScalar(byte)) : "%" + hexadecimal(byte)
    }
    return "file:" + beginning + escaped.joined() + "?immutable=1"
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch UnicodeScalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "/", "-", ".", "_", "~": true
    default: false
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.count == 1 ? "0" + digits : digits
  }
}
