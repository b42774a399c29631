#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Wilcoxon's signed-rank test: how likely values are to lie so far above a level by chance alone.
///
/// The values need not be normal, only alike on both sides of their middle, as logarithms of ratios of
/// the same program are. A bootstrap of 2,000 resamples cannot tell chances below 1 in 2,000, which
/// are needed when many rows are judged at once.
package enum SignedRankTest {
  /// Below so many values every answer is 1: they cannot tell.
  package static let leastCount = 6

  /// The chance of values so far above a level if their middle lay on it, one-sided.
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
    // Half a rank towards the middle: ranks are whole, the normal distribution is not.
    let score = (sum - expected - 0.5) / variance.squareRoot()
    return erfc(score / 2.0.squareRoot()) / 2
  }

  /// The sum of the ranks of what lies above, and what equal distances take from the variance.
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
