import Basics
package import HistoryStore
import Reporting
import SQLiteStorage

/// The error of a verb: one sentence that says what happened, and a command to try.
package enum LabError: Error, Equatable, Sendable {
  /// An argument, or a file that it names, is wrong; `try` is a command without the tool's name.
  case usage(String, try: String? = nil)
  /// The system under test took no part, or a signal stopped the work, so no verdict is possible.
  case undecided(String, try: String? = nil)
  /// The lab itself failed.
  case lab(String)

  /// Converts an error in reading or writing store files.
  ///
  /// A signal makes the result undecided. A full disk, an I/O error or a lack of memory is an error
  /// of the lab, not of an argument. The message names the files unless it does already.
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

  /// Converts an error in inspecting a file.
  package static func inspection(_ error: InspectionError) -> LabError {
    if Interruption.isRequested { return .interrupted }
    switch error {
    case .cannotCopy: return .lab(error.description)
    case .sqlite(_, let cause) where [.full, .io, .noMemory].contains(cause.cause):
      return .lab(error.description)
    default: return .usage(error.description)
    }
  }

  /// A signal stopped the work.
  package static let interrupted = LabError.undecided("It was interrupted; nothing was changed.")

  private static func named(_ sentence: String, _ files: [String]) -> String {
    if files.contains(where: sentence.contains) { return sentence }
    return "\(files.map(\.quoted).joinedWithAnd): \(sentence)"
  }

  /// The exit code for this error.
  package var exitCode: ExitCode {
    switch self {
    case .usage: .usage
    case .undecided: .undecided
    case .lab: .lab
    }
  }

  /// Returns the message for standard error, with the command to try as the user types it here.
  package func sentence(typing command: ShellCommand) -> String {
    switch self {
    case .usage(let sentence, let words?), .undecided(let sentence, let words?):
      "\(sentence) Try: \(command.line(words))"
    case .usage(let sentence, nil), .undecided(let sentence, nil), .lab(let sentence): sentence
    }
  }

  /// The message with the plain name of the command.
  package var sentence: String { sentence(typing: .plain) }

  /// Returns the error with a command to try, if it is a usage error that names none itself.
  package func hinting(_ words: String) -> LabError {
    guard case .usage(let sentence, nil) = self, !sentence.contains(" Try: ") else { return self }
    return .usage(sentence, try: words)
  }
}

extension JSONText {
  /// Returns a document as JSON on several lines.
  ///
  /// - Throws: A lab error that names the document, if JSON cannot express one of its values.
  package static func document(
    _ value: some Encodable,
    named name: String
  ) throws(LabError) -> String {
    do { return try of(value) } catch {
      throw .lab("\(name) cannot be written as JSON: \(error).")
    }
  }
}
