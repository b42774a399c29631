import Campaigns
import PropertyTesting
import PropertyTraits
import Testing

@Suite struct `An estimate of what a campaign has not found` {
  @Test func `Plans without a failure bound the share of plans that fail`() throws {
    let share = try #require(FailureEstimate(counts: [], planCount: 3000).failingShareMax)
    // The rule of three: 3 / 3,000.
    #expect((0.000_99...0.001).contains(share))
    #expect(FailureEstimate(counts: [], planCount: 1).failingShareMax == 0.95)
    let none = FailureEstimate(counts: [], planCount: 0)
    #expect(
      none.failingShareMax == nil && none.newFailureShare == nil && none.unseenCountMin == nil
    )
  }

  @Test func `Failures that were seen once make new ones likely`() {
    let many = FailureEstimate(counts: [90, 8, 1, 1], planCount: 1000)
    #expect(many.newFailureShare == 0.02 && many.unseenCountMin == 1)
    let all = FailureEstimate(counts: [50, 50], planCount: 1000)
    #expect(all.newFailureShare == 0 && all.unseenCountMin == 0 && all.failingShareMax == nil)
    #expect(FailureEstimate(counts: [1, 1, 1, 2, 2], planCount: 9).unseenCountMin == 1)
    // 1.96 * sqrt((0.02 * 0.98 + 0) / 100)
    let error = many.newFailureShareError ?? 0
    #expect(abs(error - 0.027_44) < 0.000_01)
    #expect(all.newFailureShareError == 0)
  }

  /// Draws plans that show one of twenty failures, some of them rare.
  @Test(.property(cases: 20, seed: 1))
  func `The estimated share is near the true share of failures that were not seen`() async throws {
    try await property { source in
      let weights = (0..<20).map { $0 < 10 ? 30 : 1 }
      let sum = weights.reduce(0, +)
      var counts = [Int](repeating: 0, count: 20)
      for _ in 0..<300 { counts[source.weighted(weights)] += 1 }
      let unseen = weights.indices.filter { counts[$0] == 0 }.map { weights[$0] }.reduce(0, +)
      let seen = counts.filter { $0 > 0 }
      let estimate = FailureEstimate(counts: seen, planCount: 300)
      let share = try #require(estimate.newFailureShare)
      let difference = abs(share - Double(unseen) / Double(sum))
      #expect(difference < 0.03, "\(estimate)")
    }
  }
}
