package import Reporting
import Synchronization

/// The output of the command: results on standard output, everything else on standard error.
package final class Terminal: Sendable {
  /// The properties of standard output and standard error.
  package struct Traits: Hashable, Sendable {
    /// Whether results may be coloured.
    package var usesColour = false
    /// Whether standard error can show a line that is rewritten.
    package var showsStatus = false
    /// The width for laying out results on standard output, in columns.
    package var width = 80
    /// The number of columns of the terminal, or `COLUMNS`; `nil` if lines may have any length.
    package var columns: Int?
    /// The width of the status line on standard error, in columns.
    package var statusWidth = 80
  }

  private struct State {
    var status: String?
    var outputFailure: String?
  }

  package let traits: Traits
  /// Returns the time since a fixed moment, from a clock that never goes back.
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
