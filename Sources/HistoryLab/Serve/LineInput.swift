#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A reader of lines from an open file, with a limit on their length.
struct LineInput {
  /// A line, or the reason why it cannot be returned.
  enum Line: Hashable {
    case text(String)
    /// The line is not valid UTF-8.
    case unreadable
    /// The line is longer than the limit; the rest of it was skipped.
    case tooLong
  }
  private let descriptor: Int32
  private let byteCountMax: Int
  private var bytes: [UInt8] = []
  private var isPassingOver = false

  init(_ descriptor: Int32, byteCountMax: Int = 16 << 20) {
    self.descriptor = descriptor
    self.byteCountMax = byteCountMax
  }

  /// Waits for the next line; returns `nil` at the end of input or on an interruption.
  ///
  /// A last line without a newline is dropped.
  mutating func next() -> Line? {
    var searched = 0
    while true {
      if let stop = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = bytes[..<stop]
        defer {
          bytes.removeSubrange(...stop)
          isPassingOver = false
        }
        if isPassingOver || line.count > byteCountMax { return .tooLong }
        return String(validating: line, as: UTF8.self).map(Line.text) ?? .unreadable
      }
      searched = bytes.count
      if bytes.count > byteCountMax {
        isPassingOver = true
        bytes = []
        searched = 0
      }
      guard read() else { return nil }
    }
  }

  /// Reads the available bytes, and returns whether more may follow.
  private mutating func read() -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&request, 1, 250) <= 0 {
      if Interruption.isRequested { return false }
    }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = systemRead(descriptor, &buffer, buffer.count)
    if count < 0 { return errno == EINTR || errno == EAGAIN }
    bytes += buffer.prefix(count)
    return count > 0
  }
}

/// Calls the system's `read`, which the method of the same name hides.
private func systemRead(
  _ file: Int32,
  _ start: UnsafeMutableRawPointer,
  _ count: Int
) -> Int {
  read(file, start, count)
}
