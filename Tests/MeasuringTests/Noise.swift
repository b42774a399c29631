import Foundation

@testable import Measuring

/// Simulated disturbance with a known size, from a seed.
struct Noise {
  private var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed &* 7_919 &+ 13) }

  /// A draw from the standard normal distribution (Box and Muller).
  mutating func normal() -> Double {
    (-2 * log(max(random.unit(), .leastNormalMagnitude))).squareRoot()
      * cos(2 * .pi * random.unit())
  }

  /// A cost with relative noise, three times in a hundred up to three times as dear.
  mutating func disturb(_ cost: Double, by deviation: Double) -> Double {
    let noisy = cost * exp(deviation * normal())
    return random.unit() < 0.03 ? noisy * (1 + 2 * random.unit()) : noisy
  }
}
