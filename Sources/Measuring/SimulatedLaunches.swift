#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Simulated launches of two builds of one program, with the scatter of a noisy two-core machine.
///
/// In forty alternating launches of one binary, the median processor time varied by 4.2 % from
/// launch to launch (because of the placement of code and pages), and by 4.9 % between consecutive
/// launches: consecutive launches share a part of their deviation.
package struct SimulatedLaunches: Sendable {
  /// The standard deviation of one launch, as a share.
  package static let launchDeviation = 0.042
  /// The standard deviation of the difference of two consecutive launches, as a share.
  package static let pairDeviation = 0.049

  private var noise: SimulatedNoise

  /// Creates the launches for a seed.
  package init(seed: UInt64) { noise = SimulatedNoise(seed: seed) }

  /// Returns the logarithms of head to base, one per pair of launches.
  ///
  /// An `effect` of 0.05 makes the head 5 % slower.
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
