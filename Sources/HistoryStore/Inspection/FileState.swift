#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The sizes and modification times that reveal a write to a database file or its logs.
struct FileState: Equatable {
  /// The suffixes that SQLite appends to a file's name for its logs.
  static let logSuffixes = ["-wal", "-journal"]

  /// The state of one file, or `nil` when it is missing.
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

  init(_ path: String) {
    file = Part(path)
    logs = Self.logSuffixes.map { Part(path + $0) }
  }

  /// The size of the file itself.
  var fileBytes: Int64 { file?.bytes ?? 0 }
  /// The total size of the logs.
  var logBytes: Int64 { logs.reduce(0) { $0 + ($1?.bytes ?? 0) } }
  /// Whether a log may contain changes that the file does not.
  var hasLog: Bool { logBytes > 0 }
}
