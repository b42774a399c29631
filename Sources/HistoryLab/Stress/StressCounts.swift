/// The counts of the disturbances in a stress run.
struct StressCounts: Codable, Hashable, Sendable {
  /// The number of processes killed at an arbitrary point.
  var killedAnywhere = 0
  /// The number of processes killed at a named place in their own code.
  var killedAt: [String: Int] = [:]
  /// The number of processes that were stopped and continued.
  var stops = 0
  /// The number of lives that followed a death.
  var restarts = 0
  /// The number of times that a guest joined; `retires` counts those that retired.
  var joins = 0
  var retires = 0
  /// The number of commits after which a pass of all other processes was awaited.
  var wakeUps = 0
  /// The longest time from such a commit until all of them had recorded it, in milliseconds.
  var wakeUpMsMax = 0

  var kills: Int { killedAnywhere + killedAt.values.reduce(0, +) }

  /// Counts a killed process.
  mutating func kill(at place: StressPlace?) {
    if let place { killedAt[place.rawValue, default: 0] += 1 } else { killedAnywhere += 1 }
  }
}
