/// The number of rounds of a measurement, with an optional time limit.
package struct RoundBudget: Sendable, Hashable, Codable {
  /// The least number of rounds, which the time limit does not shorten.
  ///
  /// The default is 10.
  package var minimum: Int
  /// The greatest number of rounds.
  ///
  /// The default is 50.
  package var maximum: Int
  /// The wall time in nanoseconds after which no further round starts, or `nil`.
  ///
  /// It includes preparation. The default is `nil`.
  package var nanoseconds: UInt64?
  /// The number of rounds that are run and discarded first.
  ///
  /// The default is 1.
  package var warmUp: Int

  /// Creates a budget; `minimum` must be in `1...maximum`.
  package init(
    minimum: Int = 10,
    maximum: Int = 50,
    nanoseconds: UInt64? = nil,
    warmUp: Int = 1
  ) {
    precondition(1 <= minimum && minimum <= maximum, "\(minimum) to \(maximum) rounds")
    self.minimum = minimum
    self.maximum = maximum
    self.nanoseconds = nanoseconds
    self.warmUp = warmUp
  }

  /// Returns a budget with a fixed number of rounds and no time limit.
  package static func rounds(_ count: Int) -> RoundBudget {
    RoundBudget(minimum: count, maximum: count)
  }

  func allowsRound(after measured: Int, spent: UInt64) -> Bool {
    if measured < minimum { return true }
    if measured >= maximum { return false }
    return nanoseconds.map { spent < $0 } ?? true
  }
}
