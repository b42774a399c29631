#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Wilcoxon's signed-rank test, which gives the p-value of values that lie above a level.
///
/// The values need not be normally distributed, only symmetrically, as the logarithms of ratios of
/// the same program are. A bootstrap of 2,000 resamples cannot resolve p-values below 1 in 2,000,
/// which are needed when many rows are judged at once.
package enum SignedRankTest {
  /// The least number of values for a p-value below 1.
  package static let leastCount = 6

  /// Returns the one-sided p-value of values so far above a level, if it were their median.
  ///
  /// - Complexity: O(n log n).
  package static func chance(of values: [Double], above level: Double) -> Double {
    let distances = values.map { $0 - level }.filter { $0 != 0 }
    guard distances.count >= leastCount else { return 1 }
    let (sum, ties) = rankSum(distances)
    let count = Double(distances.count)
    let expected = count * (count + 1) / 4
    let variance = count * (count + 1) * (2 * count + 1) / 24 - ties / 48
    guard variance > 0 else { return 1 }
    // The continuity correction is half a rank: ranks are whole, the normal distribution is not.
    let score = (sum - expected - 0.5) / variance.squareRoot()
    return erfc(score / 2.0.squareRoot()) / 2
  }

  /// Returns the rank sum of the values above, and the reduction of the variance by ties.
  private static func rankSum(_ distances: [Double]) -> (sum: Double, ties: Double) {
    let order = distances.indices.sorted { abs(distances[$0]) < abs(distances[$1]) }
    var (sum, ties) = (0.0, 0.0)
    var first = 0
    while first < order.count {
      var end = first + 1
      while end < order.count, abs(distances[order[end]]) == abs(distances[order[first]]) {
        end += 1
      }
      let rank = Double(first + 1 + end) / 2
      for place in order[first..<end] where distances[place] > 0 { sum += rank }
      let alike = Double(end - first)
      ties += alike * alike * alike - alike
      first = end
    }
    return (sum, ties)
  }
}
