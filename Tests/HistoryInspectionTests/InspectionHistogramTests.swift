import HistoryStore
import Testing

@testable import HistoryInspection

@Suite struct InspectionHistogramTests {
  private func histogram(_ values: some Sequence<Int64>) -> ValueHistogram {
    var histogram = ValueHistogram()
    for value in values { histogram.add(value) }
    return histogram
  }

  @Test func `Numbers below 256 are kept exactly`() {
    let histogram = histogram((0..<256).flatMap { Array(repeating: $0, count: Int($0) + 1) })
    #expect(histogram.count == 256 * 257 / 2)
    for value in 0..<256 { #expect(histogram.count(of: value) == value + 1) }
    #expect(histogram.count(of: 256) == 0)
    #expect(histogram.buckets(perOctave: 128).count == 256)
  }

  @Test func `Quantiles are within a hundred-and-twenty-eighth of the true ones`() {
    var state: UInt64 = 42
    let values = (0..<10_000).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int64(state >> (20 + state % 40))
    }
    let histogram = histogram(values)
    let sorted = values.sorted()
    for quantile in [0, 0.001, 0.1, 0.25, 0.5, 0.9, 0.99, 0.999, 1] {
      let rank = max(1, Int((quantile * 10_000).rounded(.up)))
      let truth = sorted[rank - 1]
      let found = histogram.value(at: quantile) ?? -1
      #expect(found >= truth && found - truth <= truth / 128, "at \(quantile)")
    }
  }

  @Test func `The largest numbers have a bucket, and negative numbers count as zero`() {
    let histogram = histogram([-5, 0, .max, .max - 1])
    #expect(histogram.count(of: 0) == 2)
    #expect(histogram.value(at: 1) == .max)
    #expect(histogram.buckets(perOctave: 1).last?.to == .max)
    #expect(histogram.buckets(perOctave: 1).map(\.count) == [2, 2])
  }

  @Test(arguments: [1, 2, 4, 8, 16, 32, 64, 128])
  func `Buckets are disjoint, ordered, and cover every number`(perOctave: Int) {
    let values = (0..<2000).map { Int64($0) * Int64($0) + 7 }
    let buckets = histogram(values).buckets(perOctave: perOctave)
    #expect(buckets.reduce(0) { $0 + $1.count } == 2000)
    #expect(buckets.first?.from == 7)
    #expect(buckets.last?.to == values.last)
    for (bucket, next) in zip(buckets, buckets.dropFirst()) { #expect(bucket.to < next.from) }
    for bucket in buckets {
      #expect(values.count { bucket.from <= $0 && $0 <= bucket.to } == bucket.count)
    }
  }

  @Test func `The sum of two histograms is the histogram of all numbers`() {
    let low = histogram(0..<100)
    let high = histogram(5000..<6000)
    let all = histogram(Array(0..<100) + Array(5000..<6000))
    var sum = low
    sum.add(high)
    #expect(sum == all)
    sum = high
    sum.add(low)
    #expect(sum == all)
    sum.add(ValueHistogram())
    #expect(sum == all)
  }

  @Test func `An empty histogram has no quantiles`() {
    let empty = ValueHistogram()
    #expect(empty.mean == nil)
    #expect(empty.value(at: 0.5) == nil)
    #expect(empty.buckets(perOctave: 4).isEmpty)
    #expect(empty.count(of: 0) == 0)
  }
}
