#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A reader of single keys from a terminal that does not wait for the end of a line.
enum KeyReader {
  /// A key reader for standard input; `nil` unless standard input and output are terminals.
  static var standard: (@Sendable () -> UInt8?)? {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return nil }
    return read
  }

  /// Waits for the next key; returns `nil` if none can be read.
  ///
  /// While it waits, ctrl-C is a key like any other. Afterwards the terminal's settings are
  /// restored.
  @Sendable private static func read() -> UInt8? {
    var before = termios()
    guard tcgetattr(STDIN_FILENO, &before) == 0 else { return nil }
    var raw = before
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
    guard tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0 else { return nil }
    defer { _ = tcsetattr(STDIN_FILENO, TCSANOW, &before) }
    var key: UInt8 = 0
    return systemRead(STDIN_FILENO, &key, 1) == 1 ? key : nil
  }
}

/// Calls the system's `read`, which the method of the same name hides.
private func systemRead(_ file: Int32, _ start: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(file, start, count)
}
