#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Simulated noise of known size, determined by one seed.
///
/// It is used to validate judges of measurements, because the right verdict is known.
package struct SimulatedNoise: Sendable {
  /// The percentage of samples that are outliers.
  package static let outlierPercent = 3.0

  private var random: SeededRandom

  /// Creates the noise for a seed.
  package init(seed: UInt64) { random = SeededRandom(seed: seed &* 7_919 &+ 13) }

  /// Draws from the standard normal distribution (Box and Muller).
  package mutating func normal() -> Double {
    (-2 * log(max(random.unit(), .leastNormalMagnitude))).squareRoot()
      * cos(2 * .pi * random.unit())
  }

  /// Adds noise of a relative deviation to a cost.
  ///
  /// Three samples in a hundred are outliers, up to three times as large.
  package mutating func disturb(_ cost: Double, by deviation: Double) -> Double {
    let noisy = cost * exp(deviation * normal())
    let isOutlier = random.unit() < Self.outlierPercent / 100
    return isOutlier ? noisy * (1 + 2 * random.unit()) : noisy
  }
}
