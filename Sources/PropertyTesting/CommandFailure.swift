/// The commands of a failed case and the error that it failed with.
public struct CommandFailure: LabelledFailure, CustomStringConvertible {
  /// The commands in order, as text.
  public let commands: [String]
  /// A Boolean value that indicates whether the final check failed rather than a command.
  public let isAtEnd: Bool
  /// The error that was thrown.
  public let underlying: any Error

  /// The label of the underlying error, so that shrinking preserves the failure.
  public var failureLabel: String { CaseResult.label(of: underlying) }

  /// One numbered line for each command, then the error.
  public var description: String {
    let lines = commands.enumerated().map { "\($0.offset + 1). \($0.element)" }
    return (lines + [(isAtEnd ? "at the end: " : "then: ") + "\(underlying)"])
      .joined(separator: "\n")
  }
}
