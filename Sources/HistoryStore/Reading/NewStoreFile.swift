#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is made where nothing lay before, and is removed again unless it is kept.
final class NewStoreFile {
  private let path: String
  private var isKept = false
  /// What SQLite makes beside a file.
  private static let suffixes = ["-wal", "-shm", "-journal"]

  /// Makes the file.
  ///
  /// - Throws: ``HistoryError/unreadable(_:)`` when anything lies there, a link or a log included, or
  ///   the file cannot be made.
  init(_ path: String) throws(HistoryError) {
    for suffix in Self.suffixes {
      var information = stat()
      guard lstat(path + suffix, &information) != 0 else { throw Self.isThere(path + suffix) }
    }
    let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      let code = errno
      guard code != EEXIST else { throw Self.isThere(path) }
      // Such as /proc: the folder is there, and no file can be made in it.
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

  /// Lets the file stay.
  func keep() { isKept = true }

  private static func hasFolder(_ path: String) -> Bool {
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "."
    return access(String(folder), F_OK) == 0
  }

  private static func isThere(_ path: String) -> HistoryError {
    .unreadable("\(path) is there already, and nothing is overwritten. Name another file.")
  }
}
