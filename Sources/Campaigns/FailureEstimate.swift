#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Estimates of the failures that a campaign has not found.
///
/// The estimates hold for plans that are drawn independently from one distribution, as the plans of
/// one check are. A campaign over several systems, conditions or versions mixes distributions; its
/// estimates are about the mixture.
package struct FailureEstimate: Codable, Hashable, Sendable {
  /// The probability that the next counterexample is a new failure; `nil` without counterexamples.
  ///
  /// I. J. Good: The Population Frequencies of Species and the Estimation of Population Parameters,
  /// Biometrika 40 (1953).
  package let newFailureShare: Double?
  /// Half the width of the interval of ``newFailureShare`` with a confidence of about 95 %.
  ///
  /// W. W. Esty: A Normal Limit Law for a Nonparametric Estimator of the Coverage of a Random Sample,
  /// Annals of Statistics 11 (1983).
  package let newFailureShareError: Double?
  /// An estimated lower bound of the number of failures not yet found; `nil` if no plan failed.
  ///
  /// A. Chao: Nonparametric Estimation of the Number of Classes in a Population, Scandinavian Journal
  /// of Statistics 11 (1984), in the form without bias for small counts.
  package let unseenCountMin: Double?
  /// An upper bound for the probability that a plan fails, with a confidence of 95 %.
  ///
  /// The value is `nil` if a plan has failed, or if there are no plans.
  ///
  /// J. A. Hanley, A. Lippman-Hand: If Nothing Goes Wrong, Is Everything All Right?, JAMA 249 (1983):
  /// the bound is about three divided by the number of plans; here it is computed exactly.
  package let failingShareMax: Double?

  /// Creates the estimates.
  ///
  /// - Parameters:
  ///   - counts: For each failure, the number of counterexamples that were shrunk to it.
  ///   - planCount: The number of all plans.
  package init(counts: [Int], planCount: Int) {
    let all = counts.reduce(0, +)
    guard all > 0 else {
      (newFailureShare, newFailureShareError, unseenCountMin) = (nil, nil, nil)
      failingShareMax = planCount > 0 ? 1 - Self.rootOfTwentieth(planCount) : nil
      return
    }
    let once = Double(counts.count { $0 == 1 })
    let twice = Double(counts.count { $0 == 2 })
    let share = once / Double(all)
    newFailureShare = share
    let variance = (share * (1 - share) + 2 * twice / Double(all)) / Double(all)
    newFailureShareError = min(1, StateEstimate.quantile * variance.squareRoot())
    unseenCountMin = once * (once - 1) / (2 * (twice + 1))
    failingShareMax = nil
  }

  /// Returns the probability p for which `planCount` independent plans all pass with probability
  /// 1/20, if each plan passes with probability p.
  private static func rootOfTwentieth(_ planCount: Int) -> Double {
    pow(0.05, 1 / Double(planCount))
  }
}

extension CampaignStatus {
  /// The estimates of the failures that the campaign has not found.
  ///
  /// Each plan that was shrunk to a failure counts as one counterexample of that failure. If a task
  /// reported a violation, ``FailureEstimate/failingShareMax`` is `nil`, even if no plan was
  /// shrunk.
  package var estimate: FailureEstimate {
    FailureEstimate(counts: failures.map(\.plans.count), planCount: found.isEmpty ? plans : 0)
  }
}
