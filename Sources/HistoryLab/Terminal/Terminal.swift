import Synchronization

/// Where the command writes: results to standard output, all else to standard error.
final class Terminal: Sendable {
  /// What is known of the two outputs.
  struct Traits: Hashable, Sendable {
    /// Whether results may be coloured.
    var usesColour = false
    /// Whether standard error can show a line that changes.
    var showsStatus = false
    /// Columns of a line on standard output.
    var width = 80
    /// Columns of the terminal, or those that `COLUMNS` names; `nil` where lines may have any length.
    var columns: Int?
    /// Columns of a line on standard error.
    var statusWidth = 80
  }

  private struct State {
    var status: String?
    var outputFailure: String?
  }

  let traits: Traits
  /// Time since some moment; it never goes back.
  let now: @Sendable () -> Duration
  /// Waits for a key and answers it; nothing where nobody can press one.
  let key: (@Sendable () -> UInt8?)?
  /// The words that start this command where its output is read.
  let command: ShellCommand
  private let output: TextSink
  private let errors: TextSink
  private let state = Mutex(State())

  init(
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

  /// Why a result could not be written, if one could not.
  var outputFailure: String? { state.withLock { $0.outputFailure } }

  /// Writes a line of results to standard output.
  func print(_ line: String) {
    state.withLock { state in
      whileHidden(state.status) {
        let failure = output(line + "\n")
        state.outputFailure = state.outputFailure ?? failure
      }
    }
  }

  /// Writes a line to standard error.
  func log(_ line: String) {
    state.withLock { state in
      whileHidden(state.status) { _ = errors(line + "\n") }
    }
  }

  /// Shows a line that the next one replaces, or nothing, if standard error is a terminal.
  func setStatus(_ line: String?) {
    guard traits.showsStatus else { return }
    state.withLock { state in
      guard line != nil || state.status != nil else { return }
      state.status = line
      _ = errors(Self.eraseLine + (line ?? ""))
    }
  }

  /// The text with a style, where results may be coloured.
  func styled(_ text: String, _ style: Style) -> String {
    traits.usesColour ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  private func whileHidden(_ status: String?, _ body: () -> Void) {
    if status != nil { _ = errors(Self.eraseLine) }
    body()
    if let status { _ = errors(status) }
  }

  private static let eraseLine = "\r\u{1B}[K"
}
