import Testing

@testable import Measuring

@Suite struct `Samples` {
  @Test func `Percentiles interpolate between neighbours`() {
    let summary = SampleSummary((1...101).map(Double.init).reversed())
    #expect(summary.count == 101)
    #expect(summary.min == 1)
    #expect(summary.p5 == 6)
    #expect(summary.p25 == 26)
    #expect(summary.p50 == 51)
    #expect(summary.p75 == 76)
    #expect(summary.p90 == 91)
    #expect(summary.p95 == 96)
    #expect(summary.p99 == 100)
    #expect(summary.max == 101)
    #expect(summary.mean == 51)
    #expect(SortedSamples([10, 20]).quantile(0.25) == 12.5)
  }

  @Test func `One sample is every percentile of itself`() {
    let summary = SampleSummary([7])
    #expect([summary.min, summary.p5, summary.p50, summary.p99, summary.max] == [7, 7, 7, 7, 7])
  }

  @Test func `Outliers are counted and stay in every number`() {
    // Quartiles 3 and 7, so the fences are at -3 and 13, and at -9 and 19.
    let samples: [Double] = [1, 2, 3, 4, 5, 6, 7, 14, 100]
    let summary = SampleSummary(samples)
    #expect(summary.p25 == 3)
    #expect(summary.p75 == 7)
    #expect(summary.outliers == Outliers(mild: 1, severe: 1))
    #expect(summary.max == 100)
    #expect(summary.count == 9)
  }

  @Test func `Equal samples have no outliers`() {
    #expect(SampleSummary([5, 5, 5, 5]).outliers.count == 0)
  }
}
