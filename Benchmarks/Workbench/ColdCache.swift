#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Drops the system's cache of a store's files, so that the next read comes from the disk.
enum ColdCache {
  /// An error for a cache that the system did not drop.
  struct Failure: Error, CustomStringConvertible {
    let path: String
    let code: Int32

    var description: String {
      "the system kept what it holds of \(path) in memory (error \(code)), so that nothing can be "
        + "measured on a cold cache. Leave that out with --axis."
    }
  }

  /// Syncs a store's files and drops their cache (`posix_fadvise` with `POSIX_FADV_DONTNEED`).
  static func forget(_ path: String) throws(Failure) {
    for name in [path, path + "-wal"] {
      #if os(Linux)
      let file = open(name, O_RDONLY)
      // A store that was closed has no write-ahead log.
      guard file >= 0 || name == path else { continue }
      guard file >= 0 else { throw Failure(path: name, code: errno) }
      defer { close(file) }
      guard fsync(file) == 0 else { throw Failure(path: name, code: errno) }
      let code = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
      guard code == 0 else { throw Failure(path: name, code: code) }
      #else
      throw Failure(path: name, code: 0)
      #endif
    }
  }
}
