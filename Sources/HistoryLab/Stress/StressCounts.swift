/// What was done to the processes of a stress run.
struct StressCounts: Codable, Hashable, Sendable {
  /// Processes killed where they happened to be.
  var killedAnywhere = 0
  /// Processes that were killed at a place of their own code, by its name.
  var killedAt: [String: Int] = [:]
  /// Processes stopped and continued.
  var stops = 0
  /// Lives that followed a death.
  var restarts = 0
  /// Guests that joined, and that retired.
  var joins = 0
  var retires = 0
  /// Commits after which everybody's pass was awaited.
  var wakeUps = 0
  /// The longest that one of those took until everybody had recorded it, in milliseconds.
  var wakeUpMsMax = 0

  var kills: Int { killedAnywhere + killedAt.values.reduce(0, +) }

  /// Counts a death.
  mutating func kill(at place: StressPlace?) {
    if let place { killedAt[place.rawValue, default: 0] += 1 } else { killedAnywhere += 1 }
  }
}
