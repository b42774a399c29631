/// Why a verb could not do its work: one sentence that says what happened and what to try.
enum LabError: Error, Equatable, Sendable {
  /// An argument names something wrong, files included.
  case usage(String)
  /// What is under test did not take part, so that nothing can be said about it.
  case undecided(String)
  /// The lab itself failed.
  case lab(String)

  /// A file cannot be read: the sentence, after the names of the files unless it names one itself.
  static func unreadable(_ sentence: String, naming files: String...) -> LabError {
    if files.contains(where: sentence.contains) { return .usage(sentence) }
    return .usage("\(files.map(\.quoted).joinedWithAnd): \(sentence)")
  }

  /// What the caller is told.
  var exitCode: ExitCode {
    switch self {
    case .usage: .usage
    case .undecided: .undecided
    case .lab: .lab
    }
  }

  /// What the person is told, on standard error.
  var sentence: String {
    switch self {
    case .usage(let sentence), .undecided(let sentence), .lab(let sentence): sentence
    }
  }

  /// The same error with what to try after its sentence, if an argument was wrong and the
  /// sentence does not say so itself.
  func hinting(_ hint: String) -> LabError {
    guard case .usage(let sentence) = self, !sentence.contains(" Try: ") else { return self }
    return .usage("\(sentence) \(hint)")
  }
}
