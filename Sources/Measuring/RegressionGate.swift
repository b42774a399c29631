#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Decides by two looks whether rows have become dearer or cheaper.
///
/// The first look makes suspects, too many rather than too few. Each suspect is measured again with
/// four times the units and judged by the new ones alone, so that it is not confirmed by what made it
/// a suspect; then the chances of all rows are weighed together. A unit is a block of neighbouring
/// measurements within a process, or a pair of launches of two builds.
package struct RegressionGate: Sendable {
  /// The share by which a cost must differ, at the very least.
  package var margin = 0.01
  /// How sure a confirmation must be, in 0..<1.
  package var confidence = 0.99
  /// The chance below which the first look suspects.
  package var suspicion = 0.03
  /// The half-width of a 95 % interval, as a share, above which nothing is decided.
  package var widestDecided = 0.05
  /// The share of false alarms among all alarms.
  package var discoveryRate = 0.05
  /// From what resamples follow.
  package var seed: UInt64

  /// How many units the second look takes for one of the first.
  package static let secondLookFactor = 4

  /// Makes a gate.
  package init(seed: UInt64) { self.seed = seed }

  /// What is known of one row: the logarithms of its ratios, one a unit, candidate beside baseline.
  package struct Evidence: Sendable, Hashable {
    /// The units of the first look.
    package var first: [Double]
    /// Those of the second; nil when it was not looked at again.
    package var second: [Double]?

    /// Makes evidence.
    package init(first: [Double], second: [Double]? = nil) {
      self.first = first
      self.second = second
    }
  }

  /// Whether the first look says that a row should be measured again: it may have changed, or cannot
  /// be told.
  package func wantsSecondLook(_ logRatios: [Double]) -> Bool {
    guard logRatios.count >= SignedRankTest.leastCount else { return false }
    let chance = min(
      SignedRankTest.chance(of: logRatios, above: 0),
      SignedRankTest.chance(of: logRatios.map(-), above: 0)
    )
    return chance < suspicion || isTooWide(logRatios)
  }

  /// Judges all rows together.
  ///
  /// - Complexity: 2,000 resamples a row.
  package func judge(_ rows: [Evidence]) -> [GateVerdict] {
    let told = FalseDiscovery.told(rows.map(chance), rate: discoveryRate)
    return zip(rows, told).map { verdict($0, isTold: $1) }
  }

  private func verdict(_ row: Evidence, isTold: Bool) -> GateVerdict {
    let units = row.second ?? row.first
    let ratio = interval(units, confidence)
    var verdict = GateVerdict(ratio: ratio, units: units.count, wasSuspect: row.second != nil)
    if units.count < SignedRankTest.leastCount || isTooWide(units) {
      verdict.answer = .undecided
    } else if row.second != nil, isTold, ratio.lower > 1 + margin {
      verdict.answer = .dearer
    } else if row.second != nil, isTold, ratio.upper < 1 / (1 + margin) {
      verdict.answer = .cheaper
    }
    return verdict
  }

  /// The chance that the row says what it says although nothing has changed: of a suspect that it
  /// lies beyond the margin, by the second look alone.
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

/// What the gate says of one row.
package struct GateVerdict: Sendable, Hashable, Codable {
  /// The answer.
  package enum Answer: String, Sendable, Codable {
    /// Nothing that could be confirmed.
    case alike
    /// Confirmed to cost more.
    case dearer
    /// Confirmed to cost less.
    case cheaper
    /// The interval is too wide to say.
    case undecided
  }

  /// The answer.
  package var answer = Answer.alike
  /// The ratio of candidate to baseline, with the interval that decided.
  package var ratio: Interval
  /// How many units decided.
  package var units: Int
  /// Whether the row was measured again.
  package var wasSuspect: Bool
}
