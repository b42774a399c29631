#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A simulated disturbance of known size, whose whole stream follows from one seed.
///
/// What judges measurements is judged by it: only here is the right answer known.
package struct SimulatedNoise: Sendable {
  /// How many readings in a hundred are disturbed by something else altogether.
  package static let outlierPercent = 3.0

  private var random: SeededRandom

  /// Starts the disturbance that belongs to a seed.
  package init(seed: UInt64) { random = SeededRandom(seed: seed &* 7_919 &+ 13) }

  /// Draws from the standard normal distribution (Box and Muller).
  package mutating func normal() -> Double {
    (-2 * log(max(random.unit(), .leastNormalMagnitude))).squareRoot()
      * cos(2 * .pi * random.unit())
  }

  /// Disturbs a cost by a relative deviation; three readings in a hundred are up to three times as
  /// dear.
  package mutating func disturb(_ cost: Double, by deviation: Double) -> Double {
    let noisy = cost * exp(deviation * normal())
    let isOutlier = random.unit() < Self.outlierPercent / 100
    return isOutlier ? noisy * (1 + 2 * random.unit()) : noisy
  }
}
