#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Writes each message as a line to standard error: `[ERROR] : message`.
public struct StandardErrorLogger: TrackerLogger {
  /// Creates the logger.
  public init() {}

  /// Writes one line, at once and as a whole.
  public func log(_ type: TrackerLogType, _ message: String) {
    let line = Array("[\(type.rawValue.uppercased())] : \(message)\n".utf8)
    line.withUnsafeBytes { bytes in
      // A line that standard error does not take is lost: there is nobody left to tell.
      _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}
