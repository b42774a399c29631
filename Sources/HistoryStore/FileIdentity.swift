#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The device and inode number of a file, which differ for another file under the same name.
struct FileIdentity: Equatable {
  private let device: UInt64
  private let number: UInt64

  /// Creates the identity of the file at a path, or returns `nil` when the file is missing.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }
}
