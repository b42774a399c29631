/// The limits of a run: calls of the property for shrinking, and time for the whole run.
public struct Budget: Sendable {
  /// The maximum number of times that shrinking calls the property.
  public var evaluations: Int
  /// The time limit of the run, including shrinking; `nil` for no limit.
  public var time: Duration?
  /// A closure that returns the time since some fixed moment.
  ///
  /// Without a clock, `time` has no effect, and the run is repeatable.
  public var clock: (@Sendable () -> Duration)?

  /// Creates a budget; the default is 10,000 evaluations and no time limit.
  public init(
    evaluations: Int = 10_000,
    time: Duration? = nil,
    clock: (@Sendable () -> Duration)? = nil
  ) {
    self.evaluations = evaluations
    self.time = time
    self.clock = clock
  }

  /// Returns the time at which the budget ends, counted from now, or `nil` if there is no limit.
  func deadline() -> Duration? {
    guard let time, let clock else { return nil }
    return clock() + time
  }

  /// Returns whether a deadline has passed.
  func isPast(_ deadline: Duration?) -> Bool {
    guard let deadline, let clock else { return false }
    return clock() >= deadline
  }
}
