/// How much work shrinking, and a whole run, may do.
public struct Budget: Sendable {
  /// How many times shrinking may call the property.
  public var evaluations: Int
  /// How long the run, shrinking included, may take; nil for as long as it takes.
  public var time: Duration?
  /// Tells the time since some fixed moment.
  ///
  /// Without one, `time` has no effect and the run is repeatable.
  public var clock: (@Sendable () -> Duration)?

  /// Makes a budget; the default is 10,000 evaluations and no limit of time.
  public init(
    evaluations: Int = 10_000,
    time: Duration? = nil,
    clock: (@Sendable () -> Duration)? = nil
  ) {
    self.evaluations = evaluations
    self.time = time
    self.clock = clock
  }

  /// Returns the moment when the time is over, counted from now; nil if there is no limit.
  func deadline() -> Duration? {
    guard let time, let clock else { return nil }
    return clock() + time
  }

  /// Tells whether a deadline has passed.
  func isPast(_ deadline: Duration?) -> Bool {
    guard let deadline, let clock else { return false }
    return clock() >= deadline
  }
}
