/// A bootstrap that estimates confidence intervals from resamples.
///
/// It computes Efron's percentile interval. The unit that is drawn (a block, a round, a launch)
/// must be independent of the others: that is why blocks are drawn and not single measurements.
package struct Bootstrap: Sendable, Hashable, Codable {
  /// The number of resamples.
  ///
  /// The default is 2,000.
  package var resamples: Int
  /// The probability that the interval covers the true value, in 0..<1.
  ///
  /// The default is 0.95.
  package var confidence: Double
  /// The seed of the draws.
  @HexCoded package var seed: UInt64

  /// Creates a bootstrap.
  package init(resamples: Int = 2_000, confidence: Double = 0.95, seed: UInt64) {
    precondition(resamples > 0, "\(resamples) resamples")
    precondition(confidence > 0 && confidence < 1, "a confidence of \(confidence)")
    self.resamples = resamples
    self.confidence = confidence
    self.seed = seed
  }

  /// Estimates a statistic of independent units and its interval.
  ///
  /// The `statistic` closure receives indices of units, which may repeat.
  ///
  /// - Complexity: one call of the statistic per resample.
  package func interval(units: Int, statistic: ([Int]) -> Double) -> Interval {
    precondition(units > 0, "no units to draw from")
    var random = SeededRandom(seed: seed)
    var drawn = [Int](repeating: 0, count: units)
    var estimates: [Double] = []
    estimates.reserveCapacity(resamples)
    for _ in 0..<resamples {
      for place in drawn.indices { drawn[place] = random.index(below: units) }
      estimates.append(statistic(drawn))
    }
    return interval(around: statistic(Array(0..<units)), from: estimates)
  }

  /// Estimates the median of independent values and its interval.
  ///
  /// - Complexity: O(n) per resample.
  package func median(of values: [Double]) -> Interval {
    let sorted = SortedSamples(values)
    return interval(around: sorted.median, drawingFrom: MedianSampler(sorted))
  }

  /// Estimates the median of grouped values and its interval, drawing whole groups.
  ///
  /// - Complexity: O(n) per resample.
  package func median(ofGroups groups: [[Double]]) -> Interval {
    let sorted = SortedSamples(groups.flatMap { $0 })
    return interval(around: sorted.median, drawingFrom: MedianSampler(groups: groups))
  }

  private func interval(around median: Double, drawingFrom sampler: MedianSampler) -> Interval {
    var sampler = sampler
    var random = SeededRandom(seed: seed)
    return interval(around: median, from: (0..<resamples).map { _ in sampler.draw(&random) })
  }

  /// Computes the percentile interval from the estimates of the resamples.
  package func interval(around estimate: Double, from estimates: [Double]) -> Interval {
    let sorted = SortedSamples(estimates)
    let tail = (1 - confidence) / 2
    return Interval(
      estimate: estimate,
      lower: sorted.quantile(tail),
      upper: sorted.quantile(1 - tail),
      confidence: confidence
    )
  }
}

/// An estimate with its confidence interval.
package struct Interval: Sendable, Hashable, Codable {
  /// The estimate.
  package var estimate: Double
  /// The lower bound.
  package var lower: Double
  /// The upper bound.
  package var upper: Double
  /// The probability that such an interval covers the true value, in 0..<1.
  package var confidence: Double

  /// Creates an interval.
  package init(estimate: Double, lower: Double, upper: Double, confidence: Double) {
    self.estimate = estimate
    self.lower = lower
    self.upper = upper
    self.confidence = confidence
  }

  /// Returns whether a value lies in the interval, bounds included.
  package func contains(_ value: Double) -> Bool { lower <= value && value <= upper }

  /// Maps the estimate and both bounds with an increasing function.
  package func map(_ transform: (Double) -> Double) -> Interval {
    Interval(
      estimate: transform(estimate),
      lower: transform(lower),
      upper: transform(upper),
      confidence: confidence
    )
  }
}
