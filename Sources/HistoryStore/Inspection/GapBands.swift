/// Counts of the times between transactions in bands, from bursts to long pauses.
package struct GapBands: Sendable, Hashable {
  /// The upper ends of the bands in seconds; longer times belong to the last band.
  package static let limits: [Double] = [0.002, 0.01, 0.1, 1, 10, 60, 600, 3600, 86400]

  /// The count of each band; there is one more band than limits.
  package private(set) var counts = Array(repeating: 0, count: limits.count + 1)

  package init() {}

  /// Counts a time in seconds.
  package mutating func add(_ seconds: Double) {
    counts[Self.limits.firstIndex { seconds <= $0 } ?? Self.limits.count] += 1
  }
}
