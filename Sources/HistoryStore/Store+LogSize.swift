import SQLiteStorage

/// The size of a store's write-ahead log.
public struct LogSize: Sendable, Hashable {
  /// The size of the log on disk in bytes; 0 while there is no log.
  public let bytes: Int64
  /// The number of pages that fit in it, including those that are already copied into the file.
  public let frames: Int64
}

extension Store {
  /// Returns the size of the write-ahead log.
  ///
  /// After every thousand frames, a commit copies as many as readers permit into the file, without
  /// waiting, and the log then starts over; it grows while a reader keeps a read transaction open.
  ///
  /// - Throws: ``HistoryError/sqlite(_:)``.
  /// - Complexity: one query of the file system.
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
