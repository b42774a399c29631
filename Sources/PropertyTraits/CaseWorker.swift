import Foundation
import PropertyTesting

#if os(macOS) || os(Linux)
import Programs
#endif

/// The identity of a call of `property`, by which a child process recognizes the call.
struct PropertyCall: Hashable, Sendable {
  /// The name of the environment variable that passes a call's ``place`` to a child process.
  static let variable = "PROPERTY_WORKER"

  /// The test's identifier, which filters can match.
  let test: String
  /// The file, line and column of the call of `property`, followed by ``suffix``.
  let place: String
  /// The hash of a parameterized test's arguments, then a dot; empty for a test without arguments.
  ///
  /// The names of files next to the corpus contain this text.
  let suffix: String

  /// The shell command that runs only this test, in a child process that serves this call.
  ///
  /// The child's answers go to file descriptor 3, because tests print on standard output.
  var command: String? {
    guard let program = Bundle.main.executablePath else { return nil }
    // Every character that may have a meaning in a pattern matches any character.
    let pattern = test.map { $0.isLetter || $0.isNumber || $0 == "/" ? $0 : "." }
    let arguments =
      Self.bundleArguments + [
        "--testing-library", "swift-testing", "--filter", String(pattern),
      ]
    let words = ([program] + arguments).map(Self.quoted)
    return "exec 3>&1 >/dev/null; ulimit -c 0; unset PROPERTY_REPLAY PROPERTY_TRAPS; "
      + "export SWIFT_BACKTRACE=enable=no \(Self.variable)=\(Self.quoted(place)); "
      + "exec \(words.joined(separator: " "))"
  }

  /// The arguments that name the bundle of tests, on Apple's systems.
  private static var bundleArguments: [String] {
    let arguments = CommandLine.arguments
    guard let index = arguments.firstIndex(of: "--test-bundle-path"),
      index + 1 < arguments.count
    else { return [] }
    return Array(arguments[index...index + 1])
  }

  private static func quoted(_ word: String) -> String {
    "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}

#if os(macOS) || os(Linux)
/// Runs cases in a child process; if a trap ends the child, the next case starts a new child.
///
/// The child runs the same test in the same program, and reports every step of its choice source.
final class CaseWorker {
  /// The time limit of one case, after which the case fails.
  private static let caseTime = Duration.seconds(60)

  /// The start of a failure's label if the child process ended, or gave no valid answer.
  static let labelPrefix = "The process "

  private let call: PropertyCall
  private var program: PipedProgram?
  /// The output of the child process on standard error.
  private var errors = StandardErrorText()
  /// The reason why a child process could not be started; `nil` if no start has failed.
  ///
  /// After a failed start, no other child process is started, and every case is discarded.
  private(set) var startFailure: String?

  init(_ call: PropertyCall) { self.call = call }

  deinit { program?.close() }

  /// Runs the case of a source in the child; the source then repeats the child's draws.
  ///
  /// Discards the case if no child process can run cases (``startFailure``).
  func run(_ source: inout ChoiceSource) -> CaseResult {
    var steps: [String] = []
    do {
      let program = try running()
      var line = try program.exchange(try Self.text(CaseRequest(source)))
      while let event = TapeEvent(line) {
        source.adopt(event)
        if case .step(let step) = event { steps.append(step) }
        guard let next = try program.receive(within: Self.caseTime) else {
          throw ProgramError("it was silent for \(Self.caseTime.components.seconds) seconds")
        }
        line = next
      }
      guard let report = Self.report(line) else { throw ProgramError("it answered \(line)") }
      return report.apply(to: &source)
    } catch {
      return ended(error, after: steps)
    }
  }

  /// Returns the values that generators draw for a case, as text.
  ///
  /// The text is empty if the test has no generators, or if a generator traps.
  func values(_ sequence: ChoiceSequence) -> String {
    guard let program = try? running(),
      let request = try? Self.text(
        CaseRequest(ChoiceSource(replaying: sequence), wantsValues: true)
      ),
      let line = try? program.exchange(request)
    else { return "" }
    return (try? JSONDecoder().decode([String].self, from: Data(line.utf8)).first) ?? ""
  }

  /// Returns the running child, or starts one.
  private func running() throws -> PipedProgram {
    if let program { return program }
    if let startFailure { throw ProgramError(startFailure) }
    do {
      guard let command = call.command else {
        throw ProgramError("the path of the test program is unknown")
      }
      errors = StandardErrorText()
      let program = try PipedProgram(
        ExternalProgram(command, timeout: Self.caseTime),
        errors: errors
      )
      guard try program.receive(within: Self.caseTime) == CaseServer.greeting else {
        throw ProgramError("it did not reach the call of `property`")
      }
      self.program = program
      return program
    } catch {
      startFailure = (error as? ProgramError)?.clause ?? "\(error)"
      throw error
    }
  }

  /// Closes the child after an error, and returns the failure of its case.
  ///
  /// If no child could be started, the case is discarded.
  private func ended(_ error: any Error, after steps: [String]) -> CaseResult {
    let clause = (error as? ProgramError)?.clause ?? "\(error)"
    guard let program, startFailure == nil else { return .discarded }
    program.close()
    self.program = nil
    let reason = Self.labelPrefix + Self.named(clause.replacingPrefix("it ", with: ""))
    let lines = errors.text.split(separator: "\n")
    let because = lines.last { $0.contains("Fatal error") }
    let message = steps + [reason + (because.map { ": \($0)" } ?? ".")]
    return .failed(label: reason, message: message.joined(separator: "\n"))
  }

  /// Appends the signal's name to an error text that ends with a signal's number.
  private static func named(_ clause: String) -> String {
    let names = [
      4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL",
      10: "SIGBUS", 11: "SIGSEGV",
    ]
    guard let word = clause.split(separator: " ").last, let number = Int(word),
      clause.contains("signal"), let name = names[number]
    else { return clause }
    return "\(clause) (\(name))"
  }

  private static func text(_ request: CaseRequest) throws -> String {
    String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
  }

  private static func report(_ line: String) -> CaseReport? {
    try? JSONDecoder().decode(CaseReport.self, from: Data(line.utf8))
  }
}

extension String {
  fileprivate func replacingPrefix(_ prefix: String, with other: String) -> String {
    hasPrefix(prefix) ? other + dropFirst(prefix.count) : self
  }
}
#else
/// A replacement for platforms without child processes; it discards every case.
final class CaseWorker {
  static let labelPrefix = "The process "
  let startFailure: String? = "it cannot be started on this platform"

  init(_ call: PropertyCall) {}

  func run(_ source: inout ChoiceSource) -> CaseResult { .discarded }

  func values(_ sequence: ChoiceSequence) -> String { "" }
}
#endif
