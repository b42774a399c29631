import Basics
package import HistoryStore
import Reporting
import SQLiteStorage

/// The error of a verb: a sentence that states the problem, and a command to try.
package enum LabError: Error, Equatable, Sendable {
  /// An argument or a file is invalid; `try` holds the arguments of a command that helps.
  case usage(String, try: String? = nil)
  /// No verdict is possible, because the system did not complete the work or a signal stopped it.
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

  private static func named(_ sentence: String, _ files: [String]) -> String {
    if files.contains(where: sentence.contains) { return sentence }
    return "\(files.map(\.quoted).joinedWithAnd): \(sentence)"
  }

  /// The exit code that belongs to the error.
  package var exitCode: ExitCode {
    switch self {
    case .usage: .usage
    case .undecided: .undecided
    case .lab: .lab
    }
  }

  /// Returns the message, in which the suggested command starts as the user has typed it.
  package func sentence(typing command: ShellCommand) -> String {
    switch self {
    case .usage(let sentence, let words?), .undecided(let sentence, let words?):
      "\(sentence) Try: \(command.line(words))"
    case .usage(let sentence, nil), .undecided(let sentence, nil), .lab(let sentence): sentence
    }
  }

  /// The message, in which the suggested command starts with the tool's plain name.
  package var sentence: String { sentence(typing: .plain) }

  /// Adds a command to try to a usage error that has none; returns other errors unchanged.
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
