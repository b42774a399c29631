import Foundation

/// How much memory of the process lies in the machine's, watched from one moment on.
///
/// Linux counts the peak exactly (`VmHWM`) and can be told to begin anew; elsewhere nothing is
/// measured (https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html).
package struct ResidentMemory: Sendable {
  /// The resident memory when the watch began, in bytes.
  package let startBytes: Int64

  /// Begins to watch; answers nothing where the system cannot tell.
  package init?() {
    guard Self.resetPeak(), let bytes = Self.status("VmRSS:") else { return nil }
    startBytes = bytes
  }

  /// The most that was resident since the watch began, in bytes.
  package var peakBytes: Int64? { Self.status("VmHWM:") }

  /// By how much that is more than in the beginning, in bytes.
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

  /// A number of `/proc/self/status`, which is in KiB there.
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
