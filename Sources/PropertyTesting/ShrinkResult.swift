/// The simplest failing case that shrinking came to, and how far it can be trusted to be minimal.
public struct ShrinkResult: Sendable {
  /// Why shrinking stopped.
  public enum Ending: Hashable, Sendable {
    /// A whole round of all passes found nothing simpler: the case is a local minimum.
    case fixedPoint
    /// The budget of evaluations was used up; simpler cases may be left.
    case outOfEvaluations
    /// The time was over; simpler cases may be left.
    case outOfTime
    /// The property gave different answers to the same choices: the case may not fail the next
    /// time.
    case flaky
  }

  /// The choices of the case.
  public internal(set) var sequence: ChoiceSequence
  /// The label that the case fails with, the same as before shrinking.
  public let label: String
  /// What the property says of the case.
  public internal(set) var message: String
  /// The number of calls of the property, the one that found the failure included.
  public internal(set) var evaluations = 1
  /// The number of times that a simpler case was found.
  public internal(set) var improvements = 0
  /// Why shrinking stopped.
  public internal(set) var ending = Ending.fixedPoint
}
