package import Reporting
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The output of the command: results on standard output, everything else on standard error.
package final class Terminal: Sendable {
  /// The properties of standard output and standard error.
  package struct Traits: Hashable, Sendable {
    /// Whether results may be coloured.
    package var usesColour = false
    /// Whether standard error can show a status line that is overwritten in place.
    package var showsStatus = false
    /// The width for laying out results on standard output, in columns.
    package var width = 80
    /// The number of columns of the terminal on standard output, or the value of `COLUMNS`.
    ///
    /// `nil` means that lines may have any length.
    package var columns: Int?
    /// The width of the status line on standard error, in columns.
    package var statusWidth = 80

    package init(showsStatus: Bool = false, columns: Int? = nil, statusWidth: Int = 80) {
      self.showsStatus = showsStatus
      self.columns = columns
      self.statusWidth = statusWidth
    }
  }

  private struct State {
    var status: String?
    var outputFailure: String?
  }

  package let traits: Traits
  /// Returns the time since a fixed point in time, from a monotonic clock.
  package let now: @Sendable () -> Duration
  /// Waits for a key and returns its code; `nil` if there is no keyboard to read from.
  package let key: (@Sendable () -> UInt8?)?
  /// The command that started this process, for use in suggestions.
  package let command: ShellCommand
  private let output: TextSink
  private let errors: TextSink
  private let state = Mutex(State())

  package init(
    _ traits: Traits,
    now: @escaping @Sendable () -> Duration,
    output: @escaping TextSink,
    errors: @escaping TextSink,
    key: (@Sendable () -> UInt8?)? = nil,
    command: ShellCommand = .plain
  ) {
    self.traits = traits
    self.now = now
    self.output = output
    self.errors = errors
    self.key = key
    self.command = command
  }

  /// The reason why a result could not be written; `nil` if all results were written.
  package var outputFailure: String? { state.withLock { $0.outputFailure } }

  /// Writes one line of results to standard output.
  package func print(_ line: String) {
    state.withLock { state in
      whileHidden(state.status) {
        let failure = output(line + "\n")
        state.outputFailure = state.outputFailure ?? failure
      }
    }
  }

  /// Writes one line to standard error.
  package func log(_ line: String) {
    state.withLock { state in
      whileHidden(state.status) { _ = errors(line + "\n") }
    }
  }

  /// Replaces the status line if standard error is a terminal; `nil` clears it.
  package func setStatus(_ line: String?) {
    guard traits.showsStatus else { return }
    state.withLock { state in
      guard line != nil || state.status != nil else { return }
      state.status = line
      _ = errors(Self.eraseLine + (line ?? ""))
    }
  }

  /// Returns the text with escape codes for a style; unchanged if results may not be coloured.
  package func styled(_ text: String, _ style: Style) -> String {
    traits.usesColour ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  private func whileHidden(_ status: String?, _ body: () -> Void) {
    if status != nil { _ = errors(Self.eraseLine) }
    body()
    if let status { _ = errors(status) }
  }

  private static let eraseLine = "\r\u{1B}[K"
}

/// A text style; the raw values are SGR parameters of ECMA-48.
package enum Style: Int, Sendable {
  case bold = 1
  case dim = 2
  case red = 31
  case green = 32
  case yellow = 33
  case cyan = 36
}

extension Terminal {
  /// Prints a table; if the table is wider than the terminal, prints its content as a list.
  package func print(_ table: ReportTable, indent: Int = 2, styled: (String) -> String = { $0 }) {
    let start = String(repeating: " ", count: indent)
    for line in table.lines(width: traits.columns.map { $0 - indent }) {
      print(start + styled(line))
    }
  }
}

extension ReportTable {
  /// Returns the lines of the table, or of a list if the table is wider than `width`.
  package func lines(width: Int?) -> [String] {
    let lines = text().split(separator: "\n").map(String.init)
    guard let width, lines.contains(where: { $0.count > width }) else { return lines }
    return Columns.fit(caption, width: width).filter { !$0.isEmpty } + list(width: width)
  }

  /// Returns each row as its first cell, followed by its other non-empty cells with their titles.
  private func list(width: Int) -> [String] {
    rows.flatMap { row -> [String] in
      let facts = zip(columns, row.cells).dropFirst().filter { !$0.1.isEmpty }
        .map { "\($0.title.isEmpty ? "" : $0.title + ": ")\($1)" }
      let text = Columns.wrap(facts.joined(separator: "; ").visible, width: width - 2)
      let name = (row.cells.first ?? "").visible
      return (name.isEmpty ? [] : Columns.fit(name, width: width)) + text.map { "  " + $0 }
    }
  }
}

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
