import HistoryTypes
import SQLiteStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Store {
  /// Deletes a store's file and the files that belong to it, such as its write-ahead log.
  ///
  /// Core Data: `NSPersistentStoreCoordinator.destroyPersistentStore(at:)`. A store that is created
  /// at the same path later has another ID, so that it refuses every token of the old store with an
  /// error.
  ///
  /// - Throws: ``HistoryError/Code/storeInUse`` while any connection has the store open,
  ///   ``HistoryError/Code/foreignFile``, or ``HistoryError/Code/sqlite``; in these cases no file
  ///   is deleted.
  /// - Complexity: linear in the write-ahead log, which is copied into the file first.
  public static func destroy(path: String) throws(HistoryError) {
    do {
      let owned = try OwnedFile(path)
      try owned.remove()
    } catch {
      throw HistoryError(error)
    }
  }

  /// Replaces a store with a copy of another one, or creates the copy where no store exists.
  ///
  /// Core Data: `NSPersistentStoreCoordinator.replacePersistentStore(at:withPersistentStoreFrom:)`.
  /// The copy is a consistent state of the source, even if the source is in use. The copy gets a
  /// new ID, so that it refuses every token of the replaced store and of the source with an error.
  /// The copy also contains the registry of the source: an active member that joins the copy
  /// continues at the cursor that the source recorded for it. A program that kept a token must read
  /// its data again.
  ///
  /// - Parameters:
  ///   - path: The path of the store to replace or to create.
  ///   - source: The path of the store to copy, which does not change.
  /// - Throws: ``HistoryError/Code/storeInUse`` while any connection has the old store open,
  ///   ``HistoryError/Code/foreignFile`` for either file, or ``HistoryError/Code/sqlite``; in these
  ///   cases the old store is unchanged.
  /// - Complexity: linear in the used pages of the source.
  public static func replace(path: String, with source: String) throws(HistoryError) {
    let copy = path + "-replacement"
    do {
      defer { unlink(copy) }
      try copyStore(source, to: copy)
      if access(path, F_OK) == 0 {
        let owned = try OwnedFile(path)
        try owned.giveWay(to: copy)
      } else {
        try OwnedFile.move(copy, to: path)
      }
    } catch {
      throw HistoryError(error)
    }
  }

  private static func copyStore(_ source: String, to copy: String) throws {
    unlink(copy)
    NewFile.make(copy)
    var options = ConnectionOptions()
    options.access = .readWrite
    options.synchronous = .full
    let original = try Connection(path: source, options)
    try FileHeader.check(original, path: source)
    let vacuum = try Statement(original, "VACUUM INTO ?1")
    vacuum.bind(copy, at: 1)
    try vacuum.run()
    let made = try Connection(path: copy, options)
    let rename = try Statement(made, "UPDATE history_metadata SET value = ?1 WHERE name = 'store'")
    rename.bind(StoreID(UUID()).description, at: 1)
    try rename.run()
  }
}

/// Exclusive access to a store's file, until this value goes out of scope.
private struct OwnedFile: ~Copyable {
  private let path: String
  private let connection: Connection

  /// Copies the write-ahead log into the file, deletes the log, and locks the file exclusively.
  init(_ path: String) throws {
    var options = ConnectionOptions()
    options.access = .readWrite
    options.busyTimeoutMs = 0
    let connection = try Connection(path: path, options)
    do {
      try FileHeader.check(connection, path: path)
      // Every connection in WAL mode holds a lock. Leaving WAL mode requires all other connections
      // to be closed.
      guard try connection.text("PRAGMA journal_mode=DELETE") == "delete" else {
        throw HistoryError.storeInUse(path: path)
      }
      try connection.execute("BEGIN EXCLUSIVE")
    } catch let error as SQLiteError where error.cause == .busy {
      throw HistoryError.storeInUse(path: path)
    }
    self.path = path
    self.connection = connection
  }

  /// Deletes the store's file and the files that belong to it, such as its write-ahead log.
  func remove() throws {
    guard unlink(path) == 0 else { throw Self.failure(path) }
    for ending in ["-wal", "-shm", "-journal", SignalFile.suffix] { unlink(path + ending) }
    MemberLockFile.removeAll(nextTo: path)
  }

  /// Replaces the file atomically with the file at the path `other`.
  func giveWay(to other: String) throws {
    try Self.move(other, to: path)
  }

  /// Renames a file after syncing its content to disk.
  static func move(_ file: String, to path: String) throws {
    let opened = open(file, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { throw failure(file) }
    defer { close(opened) }
    guard fsync(opened) == 0, rename(file, path) == 0 else { throw failure(path) }
  }

  private static func failure(_ path: String) -> HistoryError {
    .file(path: path, reason: String(cString: strerror(errno)))
  }
}

extension Store {
  /// Returns the first problem that SQLite's integrity check reports, or `nil` for none.
  ///
  /// See https://sqlite.org/pragma.html#pragma_integrity_check.
  ///
  /// - Complexity: linear in the pages of the file.
  package func integrityProblem() throws(HistoryError) -> String? {
    try locked { core in
      let answer = try core.connection.text("PRAGMA integrity_check(1)")
      return answer == "ok" ? nil : answer ?? "no answer"
    }
  }
}

/// The size of a store's write-ahead log.
public struct LogSize: Sendable, Hashable {
  /// The size of the log on disk in bytes; 0 while there is no log.
  public let bytes: Int
  /// The number of frames for which the log on disk has space; a frame contains one version of a page.
  ///
  /// Frames that a checkpoint has already copied into the store's file count as well.
  public let frames: Int
}

extension Store {
  /// Returns the size of the write-ahead log.
  ///
  /// After every thousand new frames in the log, a commit copies as many frames into the file as
  /// readers permit, without waiting. Once all frames are copied, the log is written from its start
  /// again. The log grows while a reader keeps a read transaction open.
  ///
  /// - Throws: ``HistoryError/Code/sqlite``.
  /// - Complexity: one query of the file system.
  public func logSize() throws(HistoryError) -> LogSize {
    try locked { core in
      let bytes = try core.connection.logByteCount
      guard bytes > Connection.logHeaderSize else { return LogSize(bytes: Int(bytes), frames: 0) }
      let page = try core.connection.integer("PRAGMA page_size") ?? 4096
      let frame = page + Connection.logFrameHeaderSize
      return LogSize(bytes: Int(bytes), frames: Int((bytes - Connection.logHeaderSize) / frame))
    }
  }
}
