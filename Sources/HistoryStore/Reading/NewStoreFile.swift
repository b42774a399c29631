#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is created where none existed, and deleted again unless it is kept.
final class NewStoreFile {
  private let path: String
  private var isKept = false
  /// The suffixes of the files that SQLite creates next to a database.
  private static let suffixes = ["-wal", "-shm", "-journal"]

  /// Creates the file.
  ///
  /// - Throws: ``HistoryError/unreadable(_:)`` when a file, a link or a log exists there, or the
  ///   file cannot be created.
  init(_ path: String) throws(HistoryError) {
    for suffix in Self.suffixes {
      var information = stat()
      guard lstat(path + suffix, &information) != 0 else { throw Self.isThere(path + suffix) }
    }
    let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      let code = errno
      guard code != EEXIST else { throw Self.isThere(path) }
      // For example in /proc: the folder exists, but no file can be created in it.
      let reason =
        code == ENOENT && Self.hasFolder(path)
        ? "its folder takes no files" : String(cString: strerror(code))
      throw .unreadable("\(path) cannot be made: \(reason). Name another file.")
    }
    close(file)
    self.path = path
  }

  deinit {
    guard !isKept else { return }
    for suffix in [""] + Self.suffixes { unlink(path + suffix) }
  }

  /// Prevents the deletion of the file.
  func keep() { isKept = true }

  private static func hasFolder(_ path: String) -> Bool {
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "."
    return access(String(folder), F_OK) == 0
  }

  private static func isThere(_ path: String) -> HistoryError {
    .unreadable("\(path) is there already, and nothing is overwritten. Name another file.")
  }
}
