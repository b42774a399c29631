/// The commands of a case up to the one that failed, and the error it failed with.
public struct CommandFailure: LabelledFailure, CustomStringConvertible {
  /// The commands in order, as text.
  public let commands: [String]
  /// Whether the check after the last command failed, not a command itself.
  public let isAtEnd: Bool
  /// What was thrown.
  public let underlying: any Error

  /// The label of the error below, so that shrinking keeps to one failure.
  public var failureLabel: String { CaseResult.label(of: underlying) }

  /// One numbered line a command, then what went wrong.
  public var description: String {
    let lines = commands.enumerated().map { "\($0.offset + 1). \($0.element)" }
    return (lines + [(isAtEnd ? "at the end: " : "then: ") + "\(underlying)"])
      .joined(separator: "\n")
  }
}
