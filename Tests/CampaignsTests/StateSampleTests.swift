import Basics
import Foundation
import PropertyTesting
import PropertyTraits
import Testing

@testable import Campaigns

@Suite struct `A sample of states` {
  /// Returns a sample of plans, each given by the numbers of its states.
  private static func sample(_ plans: some Sequence<Set<Int>>) -> StateSample {
    var sample = StateSample()
    for plan in plans { sample.add(plan: Set(plan.map(digest))) }
    return sample
  }

  private static func digest(_ state: Int) -> UInt64 { SplitMix64.mixed(UInt64(state) + 1) }

  private static func json(_ sample: StateSample) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(sample)
  }

  @Test func `Up to 1,024 states are counted exactly`() {
    let sample = Self.sample((0..<512).map { [$0, $0 + 512, 0] })
    let estimate = StateEstimate(sample)
    #expect(estimate.distinct == 1_024 && estimate.distinctError == 0)
    // Plan 0 has two states and the others three; state 0 is in every plan.
    #expect(sample.planCount == 512 && sample.visitCount == 3 * 512 - 1)
    #expect(estimate.newShare == Double(1_023) / Double(3 * 512 - 1))
  }

  /// Draws how many states there are, and compares the estimate with the number.
  @Test(.property(cases: 20, seed: 3))
  func `The number of many states is estimated within four standard errors`() async throws {
    try await property { source in
      let count = source.int(in: 1_100...12_000)
      let start = source.int(in: 0...1_000_000_000)
      let sample = Self.sample((start..<(start + count)).map { [$0] })
      let estimate = StateEstimate(sample)
      let difference = abs(estimate.distinct - Double(count))
      #expect(difference < 4 * estimate.distinctError / StateEstimate.quantile, "\(estimate)")
      #expect(estimate.distinctError / estimate.distinct < 0.065)
    }
  }

  @Test(.property(cases: 20, seed: 5))
  func `Samples of parts join to the sample of the whole, in any order`() async throws {
    try await property { source in
      var numbers = SplitMix64(seed: UInt64(source.int(in: 0...1_000_000)))
      let plans = (0..<source.int(in: 1...3_000)).map { _ in
        Set((0..<3).map { _ in numbers.index(below: 4_000) })
      }
      let count = source.int(in: 1...5)
      let parts = (0..<count).map { part in
        Self.sample(plans.indices.filter { $0 % count == part }.map { plans[$0] })
      }
      var (joined, reversed) = (StateSample(), StateSample())
      for part in parts { joined.add(part) }
      for part in parts.reversed() { reversed.add(part) }
      let whole = Self.sample(plans)
      #expect(joined == whole && reversed == whole)
      let texts = (try Self.json(joined), try Self.json(whole))
      #expect(texts.0 == texts.1)
    }
  }

  @Test func `A sample is read as it was written, and its size is bounded`() throws {
    for count in [0, 1, 1_024, 1_025, 5_000, 20_000] {
      let sample = Self.sample((0..<count).map { [$0, 0] })
      let data = try Self.json(sample)
      #expect(data.count < 20_000)
      let read = try JSONDecoder().decode(StateSample.self, from: data)
      #expect(read == sample && StateEstimate(read) == StateEstimate(sample))
      var joined = StateSample()
      joined.add(read)
      #expect(joined == sample)
    }
  }

  @Test func `A file of a newer version, or with too few digests, is refused`() throws {
    let text = String(decoding: try Self.json(Self.sample([[1]])), as: UTF8.self)
    for (right, wrong) in [
      (#""states":1"#, #""states":2"#), (#""planCounts":"1""#, #""planCounts":"1 1""#),
    ] {
      let broken = text.replacing(right, with: wrong)
      #expect(broken != text)
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(StateSample.self, from: Data(broken.utf8))
      }
    }
  }

  @Test func `States of explorations are counted, and do not affect the estimate of what is left`()
  {
    var sample = Self.sample([[1, 2], [2, 3]])
    let before = StateEstimate(sample)
    for state in 10..<20 { sample.add(explored: Self.digest(state)) }
    let after = StateEstimate(sample)
    #expect(before.distinct == 3 && after.distinct == 13 && sample.reachedCount == 14)
    #expect(after.newShare == before.newShare && after.newShare == 0.5)
    var explored = StateSample()
    explored.add(explored: 7)
    let alone = StateEstimate(explored)
    #expect(alone.distinct == 1 && alone.newShare == nil && alone.unseenMin == nil)
  }

  private static let (regionCount, frequentCount) = (2_000, 40)

  /// Draws a plan from a space of regions of three states each; one in four plans visits any region,
  /// and the others visit one of a few.
  ///
  /// The states of a plan depend on one another: a plan stays in its region.
  private static func plan(_ source: inout SplitMix64) -> Set<Int> {
    let count = source.index(below: 4) == 0 ? regionCount : frequentCount
    let region = source.index(below: count)
    return Set((0..<3).map { _ in region * 3 + source.index(below: 3) })
  }

  /// Returns the probability with which a state of a plan is not among the known states.
  private static func newShare(knowing known: Set<Int>) -> Double {
    1
      - known.reduce(0) { share, state in
        let ofRegion =
          0.25 / Double(regionCount)
          + (state / 3 < frequentCount ? 0.75 / Double(frequentCount) : 0)
        return share + ofRegion / 3
      }
  }

  @Test func `The interval of the share of new states contains the true share`() {
    var (inside, width) = (0, 0.0)
    let tries = 60
    for seed in 0..<tries {
      var source = SplitMix64(seed: UInt64(seed))
      let plans = (0..<300).map { _ in Self.plan(&source) }
      let estimate = StateEstimate(Self.sample(plans))
      let share = Self.newShare(knowing: Set(plans.flatMap(\.self)))
      let (estimated, error) = (estimate.newShare ?? -1, estimate.newShareError ?? -1)
      if abs(estimated - share) <= error { inside += 1 }
      width += error / Double(tries)
    }
    #expect(inside >= 56, "\(inside) of \(tries)")
    // An interval that contains everything would say nothing.
    #expect(width < 0.07, "\(width)")
  }

  @Test func `The error covers the part of the states that is not in the sample`() {
    // Every state is in one plan or in two, and there are far more states than a sample has.
    let (whole, few) = (
      (0..<6_000).map { [$0 % 4_000] as Set }, (0..<600).map { [$0 % 400] as Set }
    )
    let (estimate, exact) = (StateEstimate(Self.sample(whole)), StateEstimate(Self.sample(few)))
    #expect(exact.newShare == Double(200) / 600)
    let (share, error) = (estimate.newShare ?? -1, estimate.newShareError ?? -1)
    #expect(abs(share - Double(2_000) / 6_000) <= error && error > 0.03, "\(estimate)")
  }
}
