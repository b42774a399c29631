#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Estimates of the states that a campaign's plans have reached, and of those that they have not.
///
/// The estimates of unreached states hold for random plans that are drawn independently from one
/// distribution, as the plans of one check are. If a campaign mixes several distributions, the
/// estimates are about the mixture. All errors are half the width of an interval that contains the
/// true value with a confidence of about 95 %.
package struct StateEstimate: Codable, Hashable, Sendable {
  /// The number of different states that were reached; an estimate unless ``distinctError`` is 0.
  package let distinct: Double
  /// The error of ``distinct``; 0 if the states were counted exactly.
  package let distinctError: Double
  /// The expected share of new states among the states that the next random plan would reach.
  ///
  /// `nil` if no plan was random.
  ///
  /// I. J. Good: The Population Frequencies of Species and the Estimation of Population Parameters,
  /// Biometrika 40 (1953). A state counts once for each plan that reached it.
  package let newShare: Double?
  /// The error of ``newShare``.
  ///
  /// W. W. Esty: A Normal Limit Law for a Nonparametric Estimator of the Coverage of a Random Sample,
  /// Annals of Statistics 11 (1983), with plans instead of states as the independent draws. The states
  /// of one plan are not independent: the formula assumes the extreme case that they are all new or
  /// all known. The error is therefore an upper estimate.
  package let newShareError: Double?
  /// An estimated lower bound of the number of new states that random plans can still reach.
  ///
  /// `nil` if no plan was random.
  ///
  /// A. Chao: Estimating the Population Size for Capture-Recapture Data with Unequal Catchability,
  /// Biometrics 43 (1987), in the form without bias for small counts.
  package let unseenMin: Double?

  /// The number of standard errors in half of an interval with a confidence of 95 %.
  static let quantile = 1.96

  /// Computes the estimates from a sample of the states.
  package init(_ sample: StateSample) {
    let counts = sample.counts
    let share = counts.share
    if share < 1 {
      distinct = Double(counts.inSample) / share
      distinctError = Self.quantile * distinct / Double(max(1, counts.inSample - 1)).squareRoot()
    } else {
      (distinct, distinctError) = (Double(counts.inSample), 0)
    }
    guard sample.visitCount > 0 else {
      (newShare, newShareError, unseenMin) = (nil, nil, nil)
      return
    }
    let (once, twice) = (Double(counts.inOnePlan) / share, Double(counts.inTwoPlans) / share)
    let (visits, plans) = (Double(sample.visitCount), Double(sample.planCount))
    let new = min(1, once / visits)
    let ofPlans = (new * (1 - new) + 2 * twice / visits) / plans
    let ofSample = Double(counts.inOnePlan) * (1 - share) / (share * share) / (visits * visits)
    newShare = new
    newShareError = min(1, Self.quantile * (ofPlans + ofSample).squareRoot())
    unseenMin = (plans - 1) / plans * once * max(0, once - 1) / (2 * (twice + 1))
  }
}
