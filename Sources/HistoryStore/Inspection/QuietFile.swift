import SQLiteStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is read without changing it or creating any file next to it.
///
/// SQLite would create a `-shm` file to read a log, and would recover a log that it finds. A file
/// without a log is therefore opened as immutable, and a file with one is copied together with it.
/// In both cases, the file is read again if it was written meanwhile.
struct QuietFile {
  /// The maximum number of attempts to read a file that is being written.
  static let attemptsMax = 8

  /// The path as given, for error messages.
  let path: String
  /// The path with links resolved, which is the path of the logs too.
  let realPath: String
  let temporaryFolder: String
  /// A callback that stops reading when it returns a nonzero value; `nil` reads to the end.
  let stopCheck: Connection.StopCheck?

  /// Resolves the path and checks the file.
  ///
  /// - Throws: ``InspectionError`` when the path is not a readable file with contents.
  init(
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
  func read<Answer>(
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

  /// Opens the file or its copy.
  func connection(
    to path: String,
    _ access: ConnectionOptions.Access
  ) throws(SQLiteError) -> Connection {
    var options = ConnectionOptions()
    options.access = access
    // Each page is read only once: a larger cache would only increase memory use.
    options.cacheSizeKiB = 8192
    let connection = try Connection(path: path, options)
    connection.setCheckpointsOnClose(false)
    connection.stop(when: stopCheck)
    // A sort without an index spills to a file, so that memory does not grow.
    try connection.execute("PRAGMA temp_store=FILE")
    return connection
  }
}
