#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The cost of one contender relative to another that was measured in the same blocks.
///
/// A ratio of 1.2 means 20 % more than the other. The estimate is the median over the blocks of the
/// difference of logarithms; the interval comes from resampling whole blocks.
package struct RatioEstimate: Sendable, Hashable, Codable {
  /// The name of the contender whose cost counts as 1.
  package var to: String
  /// The ratio and its interval.
  package var interval: Interval
  /// The number of blocks that were measured.
  package var blocks: Int
  /// The number of resamples for the interval.
  package var resamples: Int
  /// The seed of the resamples.
  @HexCoded package var seed: UInt64

  /// Estimates a ratio from the logarithms of the ratios of all blocks.
  package init(to name: String, logRatios: [Double], bootstrap: Bootstrap) {
    to = name
    interval = bootstrap.median(of: logRatios).map { exp($0) }
    blocks = logRatios.count
    resamples = bootstrap.resamples
    seed = bootstrap.seed
  }

  /// Judges the ratio: dearer or cheaper only if the whole interval lies beyond the margin.
  ///
  /// The default margin of 0.5 % gave no false alarm in 80 comparisons of a program with itself.
  package func verdict(margin: Double = 0.005) -> RatioVerdict {
    if interval.lower > 1 + margin { return .dearer }
    if interval.upper < 1 / (1 + margin) { return .cheaper }
    let isInside = interval.lower >= 1 / (1 + margin) && interval.upper <= 1 + margin
    return isInside ? .alike : .undecided
  }
}

/// The verdict on a ratio and its interval.
package enum RatioVerdict: String, Sendable, Codable {
  /// The cost is higher, beyond the margin.
  case dearer
  /// The cost is lower, beyond the margin.
  case cheaper
  /// The whole interval lies within the margin around 1.
  case alike
  /// The interval crosses the margin: more blocks are needed.
  case undecided
}
