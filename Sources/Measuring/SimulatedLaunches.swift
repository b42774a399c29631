#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Launches of two builds of one program as they scatter on a noisy machine of two cores, simulated.
///
/// Forty alternating launches of one binary, each the median of its samples, varied by 4.2 % on the
/// processor's clock (where code and pages come to lie), and neighbouring pairs by 4.9 %: a part of a
/// launch's luck is shared by its neighbour.
package struct SimulatedLaunches: Sendable {
  /// The standard deviation of one launch, as a share.
  package static let launchDeviation = 0.042
  /// The standard deviation of the difference of two neighbouring launches, as a share.
  package static let pairDeviation = 0.049

  private var noise: SimulatedNoise

  /// Starts the launches that belong to a seed.
  package init(seed: UInt64) { noise = SimulatedNoise(seed: seed) }

  /// The logarithms of head beside base, one a pair of launches; an effect of 0.05 makes the head 5 %
  /// dearer.
  package mutating func pairs(_ count: Int, effect: Double) -> [Double] {
    (0..<count).map { _ in
      let shared = noise.normal() * shareOfNeighbours
      return launch(shared) + log(1 + effect) - launch(shared)
    }
  }

  private mutating func launch(_ shared: Double) -> Double {
    shared + noise.normal() * Self.pairDeviation / 2.0.squareRoot()
  }

  private var shareOfNeighbours: Double {
    let own = Self.pairDeviation * Self.pairDeviation / 2
    return (Self.launchDeviation * Self.launchDeviation - own).squareRoot()
  }
}
