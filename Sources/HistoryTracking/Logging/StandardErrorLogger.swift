#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A logger that writes each message as a line to standard error: `[ERROR] : message`.
public struct StandardErrorLogger: TrackerLogger {
  /// Creates the logger.
  public init() {}

  /// Writes one line with a single unbuffered `write` call.
  public func log(_ type: TrackerLogType, _ message: String) {
    let line = Array("[\(type.rawValue.uppercased())] : \(message)\n".utf8)
    line.withUnsafeBytes { bytes in
      // A line that cannot be written to standard error is dropped: no other output is left to
      // report it.
      _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}
