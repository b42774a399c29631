#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Terminal {
  /// Returns a terminal that writes to this process's standard output and standard error.
  package static func standard(typing command: ShellCommand) -> Terminal {
    let output = FileSink(STDOUT_FILENO)
    let errors = FileSink(STDERR_FILENO)
    let start = ContinuousClock.now
    let traits = Traits(
      outputIsTerminal: isatty(STDOUT_FILENO) == 1,
      errorIsTerminal: isatty(STDERR_FILENO) == 1,
      outputColumns: columns(of: STDOUT_FILENO),
      errorColumns: columns(of: STDERR_FILENO),
      environment: variable
    )
    return Terminal(
      traits,
      now: { ContinuousClock.now - start },
      output: output.write,
      errors: errors.write,
      key: KeyReader.standard,
      command: command
    )
  }

  /// Returns an environment variable; `nil` if it is unset or empty.
  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// Returns the number of columns of a terminal; `nil` if the file is not a terminal or has no size.
  private static func columns(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}

extension Terminal.Traits {
  /// Determines the traits from the two outputs and the environment.
  ///
  /// Colors need a terminal other than `dumb`, and no `NO_COLOR` (no-color.org). The column count is at
  /// least 40. The layout of results is at most 100 columns wide.
  package init(
    outputIsTerminal: Bool,
    errorIsTerminal: Bool,
    outputColumns: Int?,
    errorColumns: Int?,
    environment: (String) -> String?
  ) {
    let isDumb = environment("TERM") == "dumb"
    let environmentColumns = environment("COLUMNS").flatMap { Int($0) }
    usesColour = outputIsTerminal && !isDumb && environment("NO_COLOR") == nil
    showsStatus = errorIsTerminal && !isDumb
    columns = (outputColumns ?? environmentColumns).map { max($0, 40) }
    width = min(columns ?? 80, 100)
    statusWidth = max(errorColumns ?? environmentColumns ?? 80, 20)
  }
}

/// Reads single keys from a terminal without waiting for the end of a line.
package enum KeyReader {
  /// Reads a key from standard input; `nil` unless standard input and output are terminals.
  package static var standard: (@Sendable () -> UInt8?)? {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return nil }
    return read
  }

  /// Waits for the next key; returns `nil` if no key can be read.
  ///
  /// During the wait, ctrl-C gives a key code instead of SIGINT. Afterwards the terminal's settings are
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

/// Calls the system function `read`, which the method of the same name hides.
private func systemRead(_ file: Int32, _ start: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(file, start, count)
}
