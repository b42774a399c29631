import Basics
import Foundation
package import HistoryStore
import Reporting
import SQLiteStorage

/// Runs a command line, prints errors, and returns the exit code.
package struct Lab {
  package let tool: ToolSpec
  package let composition: Composition
  package let terminal: Terminal

  package init(tool: ToolSpec, composition: Composition, terminal: Terminal) {
    self.tool = tool
    self.composition = composition
    self.terminal = terminal
  }

  /// Runs a command line without the executable's path.
  ///
  /// An error is printed as one sentence on standard error.
  package func run(_ arguments: [String]) async -> ExitCode {
    do throws(LabError) {
      let code = try await perform(Invocation.read(arguments, tool: tool))
      guard let failure = terminal.outputFailure else { return code }
      throw LabError.lab(
        "standard output cannot be written: \(failure). Check the file or program that receives it."
      )
    } catch { return fail(error) }
  }

  /// Runs a command line of raw bytes, as the operating system passes them.
  package func run(bytes words: [[UInt8]]) async -> ExitCode {
    var arguments: [String] = []
    for (index, word) in words.enumerated() {
      guard let text = String(validating: word, as: UTF8.self) else {
        let shown = String(decoding: word, as: UTF8.self).quoted
        return fail(
          .usage(
            "argument \(index + 1), \(shown), is not text in UTF-8. Rename the file, or create a "
              + "link to it whose name is in UTF-8, and pass the link."
          )
        )
      }
      arguments.append(text)
    }
    return await run(arguments)
  }

  private func fail(_ error: LabError) -> ExitCode {
    terminal.setStatus(nil)
    terminal.log("\(tool.name): \(error.sentence(typing: terminal.command))")
    return error.exitCode
  }

  private func perform(_ invocation: Invocation) async throws(LabError) -> ExitCode {
    let help = HelpText(tool: tool, command: terminal.command, width: terminal.traits.width)
    switch invocation {
    case .nothing:
      terminal.log(help.overview())
      return .usage
    case .help(let verb):
      terminal.print(verb.map(help.text) ?? help.overview())
      return .good
    case .version:
      terminal.print("\(tool.name) \(ToolSpec.version)")
      return .good
    case .run(let spec, let arguments):
      return try await verb(spec, arguments).run()
    }
  }

  private func verb(
    _ spec: VerbSpec,
    _ arguments: ParsedArguments
  ) throws(LabError) -> any Verb {
    guard let start = spec.start else {
      throw .lab("\(spec.name) needs a verb. Use --help to list its verbs.")
    }
    do { return try start(arguments, composition, terminal) } catch {
      throw error.hinting(tool.hint(for: spec))
    }
  }
}

/// A verb of the command line, such as `inspect`, with its parsed options.
package protocol Verb: Sendable {
  /// Runs the verb and returns the exit code.
  ///
  /// - Throws: A usage error if an argument is found to be invalid while the verb runs; a lab error if the
  ///   lab itself failed.
  func run() async throws(LabError) -> ExitCode
}

package enum ExitCode: Int32, CaseIterable, Sendable {
  case good = 0
  case violation = 1
  case undecided = 2
  case usage = 64
  case lab = 70

  /// The meaning of the exit code, as help texts print it.
  package var sentence: String {
    switch self {
    case .good: "good"
    case .violation: "a violation or regression was found"
    case .undecided: "no verdict was possible"
    case .usage: "an argument, or a file that it names, is invalid"
    case .lab: "the lab itself failed"
    }
  }
}

/// The error of a verb: a sentence that states the problem, and a command to try.
package enum LabError: Error, Equatable, Sendable {
  /// An argument or a file is invalid; `try` holds the arguments of a command to suggest.
  case usage(String, try: String? = nil)
  /// No verdict is possible, for example because a signal stopped the work.
  case undecided(String, try: String? = nil)
  /// The lab itself failed, for example because the disk is full.
  case lab(String)

  /// Converts an error that occurred while a store file was read or written.
  ///
  /// The kind of the error is `undecided` after SIGINT or SIGTERM, `lab` for a full disk, an I/O error or
  /// a lack of memory, and `usage` for every other cause. The message names the files.
  package static func store(_ error: HistoryError, naming files: String...) -> LabError {
    if Interruption.isRequested { return .interrupted }
    let sentence = named(error.description, files)
    switch error.reason {
    case .cannotCopy: return .lab(sentence)
    case .sqlite(let error) where [.full, .io, .noMemory].contains(error.cause):
      return .lab(sentence)
    default: return .usage(sentence)
    }
  }

  /// Converts an error that occurred while the history in a file was inspected.
  package static func inspection(_ error: InspectionError) -> LabError {
    if Interruption.isRequested { return .interrupted }
    switch error {
    case .cannotCopy: return .lab(error.description)
    case .sqlite(_, let cause) where [.full, .io, .noMemory].contains(cause.cause):
      return .lab(error.description)
    default: return .usage(error.description)
    }
  }

  /// The error after SIGINT or SIGTERM has stopped the work.
  package static let interrupted = LabError.undecided("Interrupted; nothing was changed.")

  /// The error for a file that cannot be written.
  package static func unwritable(_ path: String, _ error: any Error) -> LabError {
    .lab(
      "\(path.quoted) cannot be written: \(error.localizedDescription). Check the permissions and the "
        + "free space of its folder."
    )
  }

  private static func named(_ sentence: String, _ files: [String]) -> String {
    if files.contains(where: sentence.contains) { return sentence }
    return "\(files.map(\.quoted).joinedWithAnd): \(sentence)"
  }

  package var exitCode: ExitCode {
    switch self {
    case .usage: .usage
    case .undecided: .undecided
    case .lab: .lab
    }
  }

  /// Returns the message, followed by the suggested command line if there is one.
  ///
  /// The command line consists of `command` and the arguments in `try`.
  package func sentence(typing command: ShellCommand) -> String {
    switch self {
    case .usage(let sentence, let words?), .undecided(let sentence, let words?):
      "\(sentence) Try: \(command.line(words))"
    case .usage(let sentence, nil), .undecided(let sentence, nil), .lab(let sentence): sentence
    }
  }

  /// The message; a suggested command line starts with the plain name `history-lab`.
  package var sentence: String { sentence(typing: .plain) }

  /// Adds a suggested command to a usage error that has none; returns other errors unchanged.
  package func hinting(_ words: String) -> LabError {
    guard case .usage(let sentence, nil) = self, !sentence.contains(" Try: ") else { return self }
    return .usage(sentence, try: words)
  }
}

extension JSONText {
  /// Returns a value as JSON on several lines.
  ///
  /// - Throws: A lab error that names the document, if the value cannot be expressed as JSON.
  package static func document(
    _ value: some Encodable,
    named name: String
  ) throws(LabError) -> String {
    do { return try of(value) } catch {
      throw .lab("\(name) cannot be written as JSON: \(error).")
    }
  }
}
