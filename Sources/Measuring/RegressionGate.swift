#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A two-stage test that decides whether benchmark rows have become slower or faster.
///
/// A row is one cost of a benchmark, such as its processor time, measured for a candidate and a
/// baseline. The first stage measures every row and selects suspects, rather too many than too few.
/// Each suspect is measured again with four times as many units. Only the new units count for its
/// verdict: the units that made a row a suspect must not also confirm the suspicion. Then the
/// p-values of all rows are evaluated together. A unit is a block of consecutive measurements
/// within a process, or a pair of launches of two builds.
package struct RegressionGate: Sendable {
  /// The least share by which a cost must differ to count as changed.
  ///
  /// The default is 0.01.
  package var margin = 0.01
  /// The confidence level of the interval that confirms a changed cost, in 0..<1.
  ///
  /// The whole interval of the cost ratio must lie beyond ``margin``. The default is 0.99.
  package var confidence = 0.99
  /// The p-value below which the first stage selects a row (as a suspect) to be measured again.
  ///
  /// The default is 0.03.
  package var suspicion = 0.03
  /// The greatest half-width of a cost ratio's confidence interval with which a row can be decided.
  ///
  /// The confidence is 95 %. The half-width is a share of the ratio. If it is greater, the verdict is
  /// ``GateVerdict/Answer/undecided``. The default is 0.05.
  package var widestDecided = 0.05
  /// The accepted share of false alarms among all alarms.
  ///
  /// The default is 0.05.
  package var discoveryRate = 0.05
  /// The seed of the resamples.
  package var seed: UInt64

  /// The factor by which the second stage measures more units of a row than the first stage.
  ///
  /// A unit is a block of consecutive measurements, or a pair of launches of two builds.
  package static let secondLookFactor = 4

  /// Creates a gate with the seed of its random resamples.
  package init(seed: UInt64) { self.seed = seed }

  /// The evidence for one row: logarithms of the cost ratio of candidate to baseline, one per unit.
  ///
  /// A unit is a block of consecutive measurements, or a pair of launches of two builds.
  package struct Evidence: Sendable, Hashable {
    /// The logarithms from the first stage, which measures every row.
    package var first: [Double]
    /// The logarithms from the second stage, or `nil` if the row was not measured again.
    package var second: [Double]?

    package init(first: [Double], second: [Double]? = nil) {
      self.first = first
      self.second = second
    }
  }

  /// Returns whether a row should be measured again, given the logarithms of its cost ratios.
  ///
  /// A row is measured again if its cost may have changed, or if the confidence interval of its
  /// cost ratio is too wide to decide that. With fewer than six logarithms, it is not measured
  /// again.
  package func wantsSecondLook(_ logRatios: [Double]) -> Bool {
    guard logRatios.count >= SignedRankTest.leastCount else { return false }
    let chance = min(
      SignedRankTest.chance(of: logRatios, above: 0),
      SignedRankTest.chance(of: logRatios.map(-), above: 0)
    )
    return chance < suspicion || isTooWide(logRatios)
  }

  /// Returns the verdicts on all rows.
  ///
  /// The p-values of all rows are evaluated together, to limit the share of false alarms.
  ///
  /// - Complexity: at most two confidence intervals per row, each from 2,000 bootstrap resamples.
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

/// The verdict of a ``RegressionGate`` on whether the cost of one row has changed.
///
/// A row is one cost of a benchmark, measured for a candidate and a baseline.
package struct GateVerdict: Sendable, Hashable, Codable {
  /// The possible verdicts on whether a row's cost has changed.
  package enum Answer: String, Sendable, Codable {
    /// No change could be confirmed.
    case alike
    /// A higher cost is confirmed.
    case dearer
    /// A lower cost is confirmed.
    case cheaper
    /// The confidence interval of the cost ratio is too wide, or there are too few measurements.
    case undecided
  }

  /// The answer, such as that a higher cost is confirmed.
  ///
  /// The default is ``Answer/alike``: no change could be confirmed.
  package var answer = Answer.alike
  /// The cost ratio of candidate to baseline, with the confidence interval used for the verdict.
  package var ratio: Interval
  /// The number of measured units on which the verdict is based.
  ///
  /// A unit is a block of measurements within one process, or a pair of launches of two builds.
  package var units: Int
  /// Whether the row was measured again, as a suspect.
  package var wasSuspect: Bool
}
