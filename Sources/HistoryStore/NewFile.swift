#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The file of a store that is about to be created.
enum NewFile {
  /// Creates an empty file that only its owner can read, unless a file exists.
  ///
  /// SQLite would create it readable by everyone. The write-ahead log inherits its permissions.
  /// Errors are ignored here: SQLite runs into the same obstacle and reports it.
  static func make(_ path: String) {
    guard !path.isEmpty, path != ":memory:" else { return }
    let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    if file >= 0 { close(file) }
  }
}
