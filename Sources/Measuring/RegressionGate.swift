#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A two-stage test that decides whether benchmark rows have become slower or faster.
///
/// The first stage selects suspects, rather too many than too few. Each suspect is measured again
/// with four times as many units. Only the new units count for its verdict: the units that made a row
/// a suspect must not also confirm the suspicion. Then the p-values of all rows are evaluated
/// together. A unit is a block of consecutive measurements within a process, or a pair of launches of
/// two builds.
package struct RegressionGate: Sendable {
  /// The least share by which a cost must differ to count as changed.
  ///
  /// The default is 0.01.
  package var margin = 0.01
  /// The confidence of a confirmation, in 0..<1.
  ///
  /// The default is 0.99.
  package var confidence = 0.99
  /// The p-value below which the first stage makes a row a suspect, which is then measured again.
  ///
  /// The default is 0.03.
  package var suspicion = 0.03
  /// The half-width of the 95 % interval of a row's cost ratio above which the row is undecided.
  ///
  /// The half-width is a share of the ratio. The default is 0.05.
  package var widestDecided = 0.05
  /// The accepted share of false alarms among all alarms.
  ///
  /// The default is 0.05.
  package var discoveryRate = 0.05
  /// The seed of the resamples.
  package var seed: UInt64

  /// The number of units (blocks or pairs of launches) in the second stage per unit in the first.
  package static let secondLookFactor = 4

  /// Creates a gate with the seed of its random resamples.
  package init(seed: UInt64) { self.seed = seed }

  /// The evidence for one row: logarithms of the ratio of candidate to baseline.
  ///
  /// There is one logarithm for each block of measurements or pair of launches.
  package struct Evidence: Sendable, Hashable {
    /// The logarithms of the cost ratios (candidate to baseline) from the row's first measurement.
    package var first: [Double]
    /// The logarithms of the cost ratios if the row was measured again as a suspect, else `nil`.
    package var second: [Double]?

    package init(first: [Double], second: [Double]? = nil) {
      self.first = first
      self.second = second
    }
  }

  /// Returns whether a row should be measured again.
  ///
  /// A row is measured again if its cost may have changed, or if its interval is too wide to
  /// decide.
  package func wantsSecondLook(_ logRatios: [Double]) -> Bool {
    guard logRatios.count >= SignedRankTest.leastCount else { return false }
    let chance = min(
      SignedRankTest.chance(of: logRatios, above: 0),
      SignedRankTest.chance(of: logRatios.map(-), above: 0)
    )
    return chance < suspicion || isTooWide(logRatios)
  }

  /// Returns the verdicts on all rows; the p-values of all rows are evaluated together.
  ///
  /// - Complexity: 2,000 resamples per row.
  package func judge(_ rows: [Evidence]) -> [GateVerdict] {
    let reported = FalseDiscovery.reported(rows.map(chance), rate: discoveryRate)
    return zip(rows, reported).map { verdict($0, isReported: $1) }
  }

  private func verdict(_ row: Evidence, isReported: Bool) -> GateVerdict {
    let units = row.second ?? row.first
    let ratio = interval(units, confidence)
    var verdict = GateVerdict(ratio: ratio, units: units.count, wasSuspect: row.second != nil)
    if units.count < SignedRankTest.leastCount || isTooWide(units) {
      verdict.answer = .undecided
    } else if row.second != nil, isReported, ratio.lower > 1 + margin {
      verdict.answer = .dearer
    } else if row.second != nil, isReported, ratio.upper < 1 / (1 + margin) {
      verdict.answer = .cheaper
    }
    return verdict
  }

  /// Returns the two-sided p-value of a row, assuming that its cost has not changed.
  ///
  /// If the row was measured again, only the new measurements count, and the assumption is that its
  /// cost has changed by ``margin`` at most.
  private func chance(_ row: Evidence) -> Double {
    let units = row.second ?? row.first
    let level = row.second == nil ? 0 : log(1 + margin)
    let above = SignedRankTest.chance(of: units, above: level)
    return min(1, 2 * min(above, SignedRankTest.chance(of: units.map(-), above: level)))
  }

  private func isTooWide(_ units: [Double]) -> Bool {
    let width = interval(units, 0.95)
    return !((width.upper - width.lower) / 2 / width.estimate <= widestDecided)
  }

  private func interval(_ units: [Double], _ confidence: Double) -> Interval {
    guard !units.isEmpty else {
      return Interval(estimate: 1, lower: 0, upper: .infinity, confidence: confidence)
    }
    return Bootstrap(confidence: confidence, seed: seed).median(of: units).map { exp($0) }
  }
}

/// The verdict of a ``RegressionGate`` on one row.
package struct GateVerdict: Sendable, Hashable, Codable {
  /// The possible verdicts on a row.
  package enum Answer: String, Sendable, Codable {
    /// No change could be confirmed.
    case alike
    /// A higher cost is confirmed.
    case dearer
    /// A lower cost is confirmed.
    case cheaper
    /// The interval is too wide, or there are too few measurements.
    case undecided
  }

  /// The verdict.
  ///
  /// The default is ``Answer/alike``.
  package var answer = Answer.alike
  /// The ratio of candidate to baseline, with the confidence interval on which the verdict is based.
  package var ratio: Interval
  /// The number of measured units on which the verdict is based.
  ///
  /// A unit is a block of measurements within one process, or a pair of launches of two builds.
  package var units: Int
  /// Whether the row was measured again.
  package var wasSuspect: Bool
}
