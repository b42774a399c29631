import Testing

@testable import Workloads

@Suite struct ProfileDistributionTests {
  private typealias Bucket = ProfileDistribution.Bucket

  private let sizes = ProfileDistribution([
    Bucket(from: 1, to: 1, count: 50), Bucket(from: 2, to: 2, count: 30),
    Bucket(from: 10, to: 13, count: 20),
  ])

  @Test func `Integers occur as often as they were counted`() {
    var counts: [Int: Int] = [:]
    for step in 0..<1000 { counts[sizes.integer(at: Double(step) / 1000), default: 0] += 1 }
    #expect(counts == [1: 500, 2: 300, 10: 50, 11: 50, 12: 50, 13: 50])
  }

  @Test func `Quantiles outside 0 to 1 give the ends`() {
    #expect(sizes.integer(at: -3) == 1)
    #expect(sizes.integer(at: 1) == 13)
    #expect(sizes.integer(at: 7) == 13)
    #expect(sizes.value(at: 1) <= 13)
  }

  @Test func `Values rise with their quantile, within their bucket`() {
    let gaps = ProfileDistribution([
      Bucket(from: 0, to: 0.25, count: 3), Bucket(from: 0.5, to: 8, count: 4),
    ])
    var last = -1.0
    for step in 0...700 {
      let value = gaps.value(at: Double(step) / 700)
      #expect(value >= last)
      #expect(value <= 0.25 || value >= 0.5 && value <= 8)
      last = value
    }
  }

  @Test func `Within a bucket above zero, values are spread evenly over each doubling`() {
    let octaves = ProfileDistribution([Bucket(from: 1, to: 16, count: 4)])
    let values = [0, 0.25, 0.5, 0.75].map { octaves.value(at: $0) }
    for (value, wanted) in zip(values, [1.0, 2, 4, 8]) { #expect(abs(value - wanted) < 1e-6) }
  }

  @Test func `An empty distribution gives zero and has a flaw`() {
    #expect(ProfileDistribution().integer(at: 0.5) == 0)
    #expect(ProfileDistribution().value(at: 0.5) == 0)
    #expect(ProfileDistribution().flaw == "the distribution has no bucket")
  }

  @Test func `An invalid distribution has a flaw`() {
    func flaw(_ buckets: [Bucket]) -> String? { ProfileDistribution(buckets).flaw }
    #expect(sizes.flaw == nil)
    #expect(flaw([Bucket(from: 0, to: 0, count: 1), Bucket(from: 1, to: 1, count: 1)]) == nil)
    #expect(flaw([Bucket(from: 1, to: 2, count: 0)]) == "a bucket has the count 0")
    #expect(flaw([Bucket(from: 2, to: 1, count: 1)]) == "the bucket 2.0 to 1.0 is out of order")
    #expect(
      flaw([Bucket(from: 1, to: 3, count: 1), Bucket(from: 2, to: 4, count: 1)])
        == "the bucket 2.0 to 4.0 is out of order"
    )
    #expect(flaw([Bucket(from: -1, to: 4, count: 1)]) != nil)
    #expect(flaw([Bucket(from: 1, to: .infinity, count: 1)]) != nil)
  }
}
