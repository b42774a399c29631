/// Draws resamples and reads from their spread how far an estimate can be trusted.
///
/// Efron's percentile interval. The unit that is drawn (a block, a round, a launch) must be
/// independent of the others: that is why blocks are drawn and not single measurements.
package struct Bootstrap: Sendable, Hashable, Codable {
  /// How many resamples are drawn.
  package var resamples: Int
  /// How often the interval shall cover the truth, in 0..<1.
  package var confidence: Double
  /// From what the draws follow.
  @HexCoded package var seed: UInt64

  /// Makes a rule for resampling.
  package init(resamples: Int = 2_000, confidence: Double = 0.95, seed: UInt64) {
    precondition(resamples > 0, "\(resamples) resamples")
    precondition(confidence > 0 && confidence < 1, "a confidence of \(confidence)")
    self.resamples = resamples
    self.confidence = confidence
    self.seed = seed
  }

  /// Estimates a statistic of independent units and its interval.
  ///
  /// `statistic` answers for indices of units, which may repeat.
  ///
  /// - Complexity: one call of the statistic a resample.
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
  /// - Complexity: O(n) a resample.
  package func median(of values: [Double]) -> Interval {
    let sorted = SortedSamples(values)
    return interval(around: sorted.median, drawingFrom: MedianSampler(sorted))
  }

  /// Estimates the median of values that come in groups, drawing whole groups.
  ///
  /// - Complexity: O(n) a resample.
  package func median(ofGroups groups: [[Double]]) -> Interval {
    let sorted = SortedSamples(groups.flatMap { $0 })
    return interval(around: sorted.median, drawingFrom: MedianSampler(groups: groups))
  }

  private func interval(around median: Double, drawingFrom sampler: MedianSampler) -> Interval {
    var sampler = sampler
    var random = SeededRandom(seed: seed)
    return interval(around: median, from: (0..<resamples).map { _ in sampler.draw(&random) })
  }

  /// Reads the interval off the estimates of the resamples.
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

/// An estimate with the interval that it can be trusted within.
package struct Interval: Sendable, Hashable, Codable {
  /// The estimate itself.
  package var estimate: Double
  /// The lower end.
  package var lower: Double
  /// The upper end.
  package var upper: Double
  /// How often such an interval covers the truth, in 0..<1.
  package var confidence: Double

  /// Makes an interval.
  package init(estimate: Double, lower: Double, upper: Double, confidence: Double) {
    self.estimate = estimate
    self.lower = lower
    self.upper = upper
    self.confidence = confidence
  }

  /// Says whether a value lies inside, the ends included.
  package func contains(_ value: Double) -> Bool { lower <= value && value <= upper }

  /// Maps the estimate and both ends with a rising function.
  package func map(_ transform: (Double) -> Double) -> Interval {
    Interval(
      estimate: transform(estimate),
      lower: transform(lower),
      upper: transform(upper),
      confidence: confidence
    )
  }
}
