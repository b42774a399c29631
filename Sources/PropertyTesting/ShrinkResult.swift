/// The simplest failing case that shrinking found, and the reason for which shrinking stopped.
public struct ShrinkResult: Sendable {
  /// The reason for which shrinking stopped.
  public enum Ending: Hashable, Sendable {
    /// A whole round of all passes found no simpler case: the case is a local minimum.
    case fixedPoint
    /// The maximum number of evaluations was reached; simpler cases may exist.
    case outOfEvaluations
    /// The time limit was reached; simpler cases may exist.
    case outOfTime
    /// The property gave different results for the same choices; the case may not fail again.
    case flaky
  }

  /// The choices of the case.
  public internal(set) var sequence: ChoiceSequence
  /// The label of the failure, the same as before shrinking.
  public let label: String
  /// The failure message of the case.
  public internal(set) var message: String
  /// The number of calls of the property, including the one that found the failure.
  public internal(set) var evaluations = 1
  /// The number of times that a simpler case was found.
  public internal(set) var improvements = 0
  /// The reason for which shrinking stopped.
  public internal(set) var ending = Ending.fixedPoint
}
