#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that a store is about to be made in.
enum NewFile {
  /// Makes an empty file that only its owner may read, where there is none.
  ///
  /// SQLite would let everyone read it. The write-ahead log takes its permissions from it.
  /// What stands in the way stands in SQLite's way too, who then tells it.
  static func make(_ path: String) {
    guard !path.isEmpty, path != ":memory:" else { return }
    let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    if file >= 0 { close(file) }
  }
}
