/// How many times between transactions are up to how long: bursts on one end, silence on the other.
package struct GapBands: Sendable, Hashable {
  /// The ends of the bands in seconds; what is longer is the last band.
  package static let limits: [Double] = [0.002, 0.01, 0.1, 1, 10, 60, 600, 3600, 86400]

  /// The number of each band; there is one more than limits.
  package private(set) var counts = Array(repeating: 0, count: limits.count + 1)

  package init() {}

  /// Counts a time in seconds.
  package mutating func add(_ seconds: Double) {
    counts[Self.limits.firstIndex { seconds <= $0 } ?? Self.limits.count] += 1
  }
}
