/// The exit codes of the command.
enum ExitCode: Int32, CaseIterable, Sendable {
  case good = 0
  case violation = 1
  case undecided = 2
  case usage = 64
  case lab = 70

  /// The meaning of the code, as the help texts print it.
  var sentence: String {
    switch self {
    case .good: "good"
    case .violation: "a violation or regression was found"
    case .undecided: "it could not be decided"
    case .usage: "an argument names something wrong, files included"
    case .lab: "the lab itself failed"
    }
  }
}
