import Foundation

/// The resident memory of the process, watched from one moment on.
///
/// Linux counts the peak exactly (`VmHWM`) and can reset it
/// (https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html). It is not measured on other
/// systems.
package struct ResidentMemory: Sendable {
  /// The resident memory at the start of the watch, in bytes.
  package let startBytes: Int64

  /// Starts the watch, or returns `nil` if the system does not support it.
  package init?() {
    guard Self.resetPeak(), let bytes = Self.status("VmRSS:") else { return nil }
    startBytes = bytes
  }

  /// The greatest resident memory since the start of the watch, in bytes.
  package var peakBytes: Int64? { Self.status("VmHWM:") }

  /// The growth from the start to the greatest resident memory, in bytes.
  package var growthBytes: Int64? { peakBytes.map { max(0, $0 - startBytes) } }

  private static func resetPeak() -> Bool {
    guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return false }
    do {
      try file.write(contentsOf: Data("5".utf8))
      try file.close()
      return true
    } catch {
      return false
    }
  }

  /// Returns a value of `/proc/self/status`, converted from KiB to bytes.
  private static func status(_ key: String) -> Int64? {
    guard let data = FileManager.default.contents(atPath: "/proc/self/status") else { return nil }
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      guard line.hasPrefix(key) else { continue }
      return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int64($0) }
        .map { $0 * 1024 }
    }
    return nil
  }
}
