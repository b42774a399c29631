import SQLiteStorage

/// How much room the write-ahead log of a store takes.
public struct LogSize: Sendable, Hashable {
  /// The log's bytes on disk; 0 while there is no log.
  public let bytes: Int64
  /// The pages that fit in it, those among them that are in the file already.
  public let frames: Int64
}

extension Store {
  /// How much room the write-ahead log takes.
  ///
  /// Each thousand frames a commit copies what readers allow into the file, without waiting, and the
  /// log then begins anew; it grows for as long as a reader keeps one moment open.
  ///
  /// - Throws: ``HistoryError/sqlite(_:)``.
  /// - Complexity: one question to the file system.
  public func logSize() throws(HistoryError) -> LogSize {
    try locked { core in
      let bytes = try core.connection.logByteCount
      guard bytes > Connection.logHeaderSize else { return LogSize(bytes: bytes, frames: 0) }
      let page = try core.connection.integer("PRAGMA page_size") ?? 4096
      let frame = page + Connection.logFrameHeaderSize
      return LogSize(bytes: bytes, frames: (bytes - Connection.logHeaderSize) / frame)
    }
  }
}
