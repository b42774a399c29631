package import SQLiteStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is read without changing it or creating any file next to it.
///
/// To read a write-ahead log, SQLite would create a `-shm` file; SQLite would also recover a log
/// after a crash. A file without a log is therefore opened as immutable, and a file with a log is
/// copied together with its log. If another process writes to the file meanwhile, the file is read
/// again.
package struct QuietFile {
  /// The default folder for copies: the value of `TMPDIR`, or `/tmp` if it is not set.
  package static var temporaryFolder: String {
    getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  }
  /// The maximum number of attempts to read a file that is being written.
  package static let attemptsMax = 8
  /// The size of the page cache in KiB.
  ///
  /// Smaller than the default, because each page is read only once.
  static let cacheSizeKiB: Int32 = 8192

  /// The path as given, for error messages.
  let path: String
  /// The path with symbolic links resolved; the paths of the file's logs start with it.
  package let realPath: String
  let temporaryFolder: String
  /// A callback that stops reading when it returns a nonzero value; `nil` reads to the end.
  let stopCheck: Connection.StopCheck?

  /// Resolves the path and checks the file.
  ///
  /// - Throws: ``InspectionError`` when the path is not a readable file with contents.
  package init(
    _ path: String,
    copyingTo temporaryFolder: String,
    stopCheck: Connection.StopCheck? = nil
  ) throws(InspectionError) {
    guard let resolved = realpath(path, nil) else {
      throw Self.failure(errno, path)
    }
    defer { free(resolved) }
    var information = stat()
    guard stat(resolved, &information) == 0 else { throw Self.failure(errno, path) }
    guard information.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
    guard access(resolved, R_OK) == 0 else { throw Self.failure(errno, path) }
    self.path = path
    self.temporaryFolder = temporaryFolder
    self.stopCheck = stopCheck
    realPath = String(cString: resolved)
    guard information.st_size > 0 || FileState(realPath).hasLog else { throw .empty(path: path) }
  }

  private static func failure(_ code: Int32, _ path: String) -> InspectionError {
    code == ENOENT || code == ENOTDIR
      ? .notFound(path: path)
      : .unreadable(path: path, reason: String(cString: strerror(code)))
  }

  /// Runs a closure with a connection to a consistent state of the file.
  ///
  /// The closure runs again when the file was written in the meantime.
  ///
  /// - Throws: ``InspectionError``, converted from the error of the closure.
  package func read<Answer>(
    _ body: (borrowing Connection, FileState) throws -> Answer
  ) throws(InspectionError) -> Answer {
    for _ in 0..<Self.attemptsMax {
      let before = FileState(realPath)
      if before.hasLog {
        let copy = try PrivateCopy(of: realPath, in: temporaryFolder, stopCheck)
        guard FileState(realPath) == before else { continue }
        return try outcome(of: copy.path, .readWrite, before, body).get()
      }
      let outcome = outcome(of: realPath, .immutable, before, body)
      if FileState(realPath) == before { return try outcome.get() }
    }
    throw .changing(path: path)
  }

  private func outcome<Answer>(
    of path: String,
    _ access: ConnectionOptions.Access,
    _ state: FileState,
    _ body: (borrowing Connection, FileState) throws -> Answer
  ) -> Result<Answer, InspectionError> {
    do {
      let connection = try connection(to: path, access)
      return .success(try body(connection, state))
    } catch {
      return .failure(InspectionError(error, path: self.path))
    }
  }

  /// Opens a connection to `path`, which is the path of this file or of a private copy of it.
  package func connection(
    to path: String,
    _ access: ConnectionOptions.Access
  ) throws(SQLiteError) -> Connection {
    var options = ConnectionOptions()
    options.access = access
    options.cacheSizeKiB = Self.cacheSizeKiB
    let connection = try Connection(path: path, options)
    connection.setCheckpointsOnClose(false)
    connection.stop(when: stopCheck)
    // A sort without an index uses a temporary file, so that memory does not grow.
    try connection.execute("PRAGMA temp_store=FILE")
    return connection
  }
}

/// The sizes and modification times that reveal a write to a database file or its logs.
package struct FileState: Equatable {
  /// The suffixes that SQLite appends to a file's name for its logs.
  static let logSuffixes = ["-wal", "-journal"]

  /// The inode, the size and the modification time of one file.
  private struct Part: Equatable {
    let node: UInt64
    let bytes: Int64
    let seconds: Int
    let nanoseconds: Int

    init?(_ path: String) {
      var information = stat()
      guard stat(path, &information) == 0 else { return nil }
      #if canImport(Darwin)
      let time = information.st_mtimespec
      #else
      let time = information.st_mtim
      #endif
      node = UInt64(information.st_ino)
      bytes = Int64(information.st_size)
      seconds = time.tv_sec
      nanoseconds = time.tv_nsec
    }
  }

  private let file: Part?
  private let logs: [Part?]

  package init(_ path: String) {
    file = Part(path)
    logs = Self.logSuffixes.map { Part(path + $0) }
  }

  /// The size of the database file in bytes, without its logs.
  package var fileBytes: Int64 { file?.bytes ?? 0 }
  /// The total size of the logs in bytes.
  package var logBytes: Int64 { logs.reduce(0) { $0 + ($1?.bytes ?? 0) } }
  /// Whether a log has content, so that the database file alone may not be the current state.
  package var hasLog: Bool { logBytes > 0 }
}

/// A copy of a database file and its logs in a folder that only this user can access.
///
/// The folder is removed when the value goes out of scope.
package struct PrivateCopy: ~Copyable {
  private let folder: String

  /// The path of the copied file.
  package var path: String { folder + "/copy" }

  /// Copies the file and its logs.
  ///
  /// - Throws: ``InspectionError/cannotCopy(path:folder:reason:)``; the folder is then removed.
  package init(
    of path: String,
    in temporaryFolder: String,
    _ stopCheck: Connection.StopCheck? = nil
  ) throws(InspectionError) {
    var template = Array((temporaryFolder + "/history-lab-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .cannotCopy(path: path, folder: temporaryFolder, reason: FileCopy.lastReason)
    }
    let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    for suffix in [""] + FileState.logSuffixes {
      if let reason = FileCopy.copy(path + suffix, to: folder + "/copy" + suffix, stopCheck) {
        // A log may have been deleted in the meantime, but the database file must exist.
        if reason.isAbsent && !suffix.isEmpty { continue }
        Self.remove(folder)
        throw .cannotCopy(path: path, folder: temporaryFolder, reason: reason.words)
      }
    }
    self.folder = folder
  }

  deinit { Self.remove(folder) }

  private static func remove(_ folder: String) {
    for suffix in ["", "-shm"] + FileState.logSuffixes { unlink(folder + "/copy" + suffix) }
    rmdir(folder)
  }
}

/// Copies the bytes of one file into a new one.
private enum FileCopy {
  struct Failure {
    let words: String
    let isAbsent: Bool
  }

  static var lastReason: String { String(cString: strerror(errno)) }

  /// Copies a file; returns the failure, or `nil` on success.
  static func copy(
    _ source: String,
    to target: String,
    _ stopCheck: Connection.StopCheck? = nil
  ) -> Failure? {
    let input = open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { return failure }
    defer { close(input) }
    let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard output >= 0 else { return failure }
    defer { close(output) }
    return withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
      while true {
        let count = read(input, buffer.baseAddress, buffer.count)
        if count == 0 { return nil }
        guard count > 0 else { return failure }
        guard write(all: buffer[..<count], to: output) else { return failure }
        if let stopCheck, stopCheck(nil) != 0 {
          return Failure(words: "copying was stopped", isAbsent: false)
        }
      }
    }
  }

  private static func write(all bytes: Slice<UnsafeMutableRawBufferPointer>, to file: Int32) -> Bool
  {
    var rest = UnsafeRawBufferPointer(rebasing: bytes)
    while !rest.isEmpty {
      #if canImport(Darwin)
      let count = Darwin.write(file, rest.baseAddress, rest.count)
      #elseif canImport(Musl)
      let count = Musl.write(file, rest.baseAddress, rest.count)
      #else
      let count = Glibc.write(file, rest.baseAddress, rest.count)
      #endif
      guard count > 0 else { return false }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return true
  }

  private static var failure: Failure { Failure(words: lastReason, isAbsent: errno == ENOENT) }
}
