import HistoryStore
import SQLiteStorage

/// Why a verb could not do its work: one sentence that says what happened, and a command to try.
enum LabError: Error, Equatable, Sendable {
  /// An argument names something wrong, files included. The words to try follow, without the command.
  case usage(String, try: String? = nil)
  /// What is under test did not take part, or a signal ended the work, so that nothing can be said.
  case undecided(String, try: String? = nil)
  /// The lab itself failed.
  case lab(String)

  /// The error for store files that could not be read or written.
  ///
  /// A signal decides nothing, and a disk or memory at its end is no fault of an argument. The message
  /// names the files unless it does already.
  static func store(_ error: HistoryError, naming files: String...) -> LabError {
    if Interruption.isRequested { return .interrupted }
    let sentence = named(error.description, files)
    switch error {
    case .cannotCopy: return .lab(sentence)
    case .sqlite(let error) where [.full, .io, .noMemory].contains(error.cause):
      return .lab(sentence)
    default: return .usage(sentence)
    }
  }

  /// The same for a file that could not be inspected.
  static func inspection(_ error: InspectionError) -> LabError {
    if Interruption.isRequested { return .interrupted }
    switch error {
    case .cannotCopy: return .lab(error.description)
    case .sqlite(_, let cause) where [.full, .io, .noMemory].contains(cause.cause):
      return .lab(error.description)
    default: return .usage(error.description)
    }
  }

  /// A signal ended the work.
  static let interrupted = LabError.undecided("It was interrupted; nothing was changed.")

  private static func named(_ sentence: String, _ files: [String]) -> String {
    if files.contains(where: sentence.contains) { return sentence }
    return "\(files.map(\.quoted).joinedWithAnd): \(sentence)"
  }

  /// What the caller is told.
  var exitCode: ExitCode {
    switch self {
    case .usage: .usage
    case .undecided: .undecided
    case .lab: .lab
    }
  }

  /// The message for standard error, with the command to try as it is typed here.
  func sentence(typing command: ShellCommand) -> String {
    switch self {
    case .usage(let sentence, let words?), .undecided(let sentence, let words?):
      "\(sentence) Try: \(command.line(words))"
    case .usage(let sentence, nil), .undecided(let sentence, nil), .lab(let sentence): sentence
    }
  }

  /// The message with the plain name of the command.
  var sentence: String { sentence(typing: .plain) }

  /// The same error with words to try, if an argument was wrong and the error names none itself.
  func hinting(_ words: String) -> LabError {
    guard case .usage(let sentence, nil) = self, !sentence.contains(" Try: ") else { return self }
    return .usage(sentence, try: words)
  }
}
