/// The percentiles of one row's samples, in the row's unit.
package struct SampleSummary: Sendable, Hashable, Codable {
  /// The number of samples.
  package var count: Int
  /// The least sample.
  package var min: Double
  /// The 5th percentile.
  package var p5: Double
  /// The 25th percentile.
  package var p25: Double
  /// The median.
  package var p50: Double
  /// The 75th percentile.
  package var p75: Double
  /// The 90th percentile.
  package var p90: Double
  /// The 95th percentile.
  package var p95: Double
  /// The 99th percentile.
  package var p99: Double
  /// The greatest sample.
  package var max: Double
  /// The arithmetic mean.
  package var mean: Double
  /// The number of outliers; all other statistics include them.
  package var outliers: Outliers

  /// Summarizes samples; there must be at least one.
  package init(_ samples: [Double]) {
    let sorted = SortedSamples(samples)
    count = samples.count
    min = sorted.quantile(0)
    p5 = sorted.quantile(0.05)
    p25 = sorted.quantile(0.25)
    p50 = sorted.median
    p75 = sorted.quantile(0.75)
    p90 = sorted.quantile(0.9)
    p95 = sorted.quantile(0.95)
    p99 = sorted.quantile(0.99)
    max = sorted.quantile(1)
    mean = sorted.mean
    outliers = sorted.outliers
  }
}
