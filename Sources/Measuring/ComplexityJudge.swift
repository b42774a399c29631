/// A judge of how a cost grows with the size of history.
///
/// It fits five cost models, each with a fixed part, by least relative error, and selects one by
/// the Bayesian information criterion. It repeats this for resamples of the samples at each size,
/// and gives a verdict only if nearly all resamples select the same class.
package struct ComplexityJudge: Sendable {
  /// The least number of history sizes for which models are fitted.
  package static let leastSizes = 5

  /// The growth over all measured sizes below which a cost is flat, whichever model fits best.
  ///
  /// Without this limit, chance variation of one percent selects a model that grows: of 100 flat
  /// curves with 3 % noise, 38 were classified as flat; with the limit, all of them.
  package static let flatGrowth = 1.05

  /// The resampling of the samples.
  package var bootstrap: Bootstrap
  /// The share of resamples that must agree.
  ///
  /// The default is 0.95.
  package var agreement: Double

  /// Creates a judge.
  package init(seed: UInt64, resamples: Int = 200, agreement: Double = 0.95) {
    bootstrap = Bootstrap(resamples: resamples, seed: seed)
    self.agreement = agreement
  }

  /// Judges one curve.
  ///
  /// - Complexity: resamples times samples, plus resamples times sizes times five fits.
  package func judge(_ curve: CostCurve) -> ComplexityVerdict {
    var verdict = ComplexityVerdict(
      complexity: .inconclusive,
      confidence: 0,
      growth: curve.growth(bootstrap: bootstrap),
      tailSlope: curve.tailSlope(bootstrap: bootstrap)
    )
    if curve.points.count < Self.leastSizes {
      verdict.because =
        "\(curve.points.count) sizes were measured; a law is fitted from \(Self.leastSizes) on"
    } else if !curve.isPositive {
      verdict.because = "a sample is zero"
    } else {
      decide(&verdict, on: curve)
    }
    return verdict
  }

  private func decide(_ verdict: inout ComplexityVerdict, on curve: CostCurve) {
    let sizes = curve.points.map { Double($0.size) }
    let sorted = curve.points.map { SortedSamples($0.samples) }
    var counts: [ComplexityClass: Int] = [:]
    var random = SeededRandom(seed: bootstrap.seed)
    var samplers = sorted.map { MedianSampler($0) }
    for _ in 0..<bootstrap.resamples {
      let medians = samplers.indices.map { samplers[$0].draw(&random) }
      counts[ComplexityClass(best(sizes, medians).model), default: 0] += 1
    }
    let fit = best(sizes, sorted.map(\.median))
    let complexity = ComplexityClass(fit.model)
    verdict.fit = fit
    verdict.confidence = Double(counts[complexity, default: 0]) / Double(bootstrap.resamples)
    if verdict.confidence >= agreement {
      verdict.complexity = complexity
    } else {
      verdict.because =
        "only \(Int(verdict.confidence * 100)) % of the resamples answer \(complexity.rawValue)"
    }
  }

  private func best(_ sizes: [Double], _ costs: [Double]) -> CostFit {
    let flat = CostFit(.flat, sizes: sizes, costs: costs)
    var best = flat
    for model in CostModel.allCases.dropFirst() {
      let fit = CostFit(model, sizes: sizes, costs: costs)
      if fit.criterion(points: sizes.count) < best.criterion(points: sizes.count) { best = fit }
    }
    return best.growth(over: sizes) < Self.flatGrowth ? flat : best
  }
}
