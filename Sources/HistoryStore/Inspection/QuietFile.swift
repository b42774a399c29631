import SQLiteStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is read as it lies there: nothing of it changes, and nothing is made beside it.
///
/// SQLite would make a `-shm` file to read a log, and recover a log it finds. So a file without one
/// is opened as immutable, and a file with one is copied with it first. Either way the file must not
/// have been written meanwhile, or it is read anew.
struct QuietFile {
  /// How often a file that is being written is tried.
  static let attemptsMax = 8

  /// The path as it was given, for errors.
  let path: String
  /// The path without links, where the logs lie too.
  let realPath: String
  let temporaryFolder: String
  /// Whether to stop reading; `nil` reads to the end.
  let stopCheck: Connection.StopCheck?

  /// Finds the file.
  ///
  /// - Throws: ``InspectionError`` when there is none with bytes in it.
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

  /// Runs a closure with a connection to what the file holds at one moment; the closure runs again
  /// when the file was written while it did.
  ///
  /// - Throws: ``InspectionError``, made of what the closure throws.
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

  /// Opens the file, or the copy of it.
  func connection(
    to path: String,
    _ access: ConnectionOptions.Access
  ) throws(SQLiteError) -> Connection {
    var options = ConnectionOptions()
    options.access = access
    // What is read passes by once: a bigger cache would only grow the process.
    options.cacheSizeKiB = 8192
    let connection = try Connection(path: path, options)
    connection.setCheckpointsOnClose(false)
    connection.stop(when: stopCheck)
    // A sort that an index does not save spills to a file, so that memory does not grow.
    try connection.execute("PRAGMA temp_store=FILE")
    return connection
  }
}
