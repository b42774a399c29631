/// How long to go on measuring: a number of rounds, shortened by a limit on time.
package struct RoundBudget: Sendable, Hashable, Codable {
  /// Rounds that are measured whatever they take.
  package var minimum: Int
  /// Rounds after which it is enough.
  package var maximum: Int
  /// Nanoseconds on the wall after which no further round begins; preparation counts.
  package var nanoseconds: UInt64?
  /// Rounds before the first that counts, measured and thrown away.
  package var warmUp: Int

  /// Makes a budget; `minimum` must be in `1...maximum`.
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

  /// A fixed number of rounds, whatever they take.
  package static func rounds(_ count: Int) -> RoundBudget {
    RoundBudget(minimum: count, maximum: count)
  }

  func allowsRound(after measured: Int, spent: UInt64) -> Bool {
    if measured < minimum { return true }
    if measured >= maximum { return false }
    return nanoseconds.map { spent < $0 } ?? true
  }
}
